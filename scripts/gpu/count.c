/* A Vulkan layer that counts what a program asks of a GPU; scripts/gpu/count.py compiles and loads it.
 *
 * At the end the file that MATCHQ_GPU_COUNTS names has one JSON object: kernel launches, submissions, bytes that were sent to
 * the device, and reads, copies into memory of the host, with their bytes.
 * The loader's interface to layers: https://github.com/KhronosGroup/Vulkan-Loader/blob/main/docs/LoaderLayerInterface.md */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <vulkan/vk_layer.h>
#include <vulkan/vulkan.h>

#define EXPORT __attribute__((visibility("default")))

static atomic_ulong launches, submissions, sent, reads, read_bytes;
static PFN_vkGetInstanceProcAddr next_instance;
static PFN_vkGetDeviceProcAddr next_device;
static VkInstance the_instance;

/* The device's functions below this layer: there is one device. */
static PFN_vkCmdDispatch cmd_dispatch;
static PFN_vkCmdDispatchIndirect cmd_dispatch_indirect;
static PFN_vkQueueSubmit queue_submit;
static PFN_vkQueueSubmit2 queue_submit_2;
static PFN_vkCreateBuffer create_buffer;
static PFN_vkCmdCopyBuffer cmd_copy_buffer;

/* What buffers are for, by handle. */
enum { BUCKETS = 1 << 20 };
static struct { VkBuffer buffer; VkBufferUsageFlags usage; } usages[BUCKETS];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static size_t place_of(VkBuffer buffer) {
    size_t place = ((size_t)buffer * 0x9E3779B97F4A7C15ull) >> 44;
    for (size_t tried = 0; usages[place].buffer && usages[place].buffer != buffer; place = (place + 1) % BUCKETS) {
        if (++tried == BUCKETS) {
            fputs("count.c: too many buffers\n", stderr);
            abort();
        }
    }
    return place;
}

static VkBufferUsageFlags usage_of(VkBuffer buffer) {
    pthread_mutex_lock(&lock);
    VkBufferUsageFlags usage = usages[place_of(buffer)].usage;
    pthread_mutex_unlock(&lock);
    return usage;
}

__attribute__((destructor)) static void write_counts(void) {
    const char *path = getenv("MATCHQ_GPU_COUNTS");
    FILE *file = path ? fopen(path, "w") : NULL;
    if (!file) return;
    fprintf(file,
        "{\"launches\": %lu, \"submissions\": %lu, \"sent\": %lu, \"reads\": %lu, \"read_bytes\": %lu}\n",
        launches, submissions, sent, reads, read_bytes);
    fclose(file);
}

static VKAPI_ATTR void VKAPI_CALL count_dispatch(VkCommandBuffer commands, uint32_t x, uint32_t y, uint32_t z) {
    launches++;
    cmd_dispatch(commands, x, y, z);
}

static VKAPI_ATTR void VKAPI_CALL count_dispatch_indirect(VkCommandBuffer commands, VkBuffer buffer, VkDeviceSize offset) {
    launches++;
    cmd_dispatch_indirect(commands, buffer, offset);
}

static VKAPI_ATTR VkResult VKAPI_CALL count_submit(VkQueue queue, uint32_t count, const VkSubmitInfo *infos, VkFence fence) {
    submissions++;
    return queue_submit(queue, count, infos, fence);
}

static VKAPI_ATTR VkResult VKAPI_CALL count_submit_2(VkQueue queue, uint32_t count, const VkSubmitInfo2 *infos, VkFence fence) {
    submissions++;
    return queue_submit_2(queue, count, infos, fence);
}

static VKAPI_ATTR VkResult VKAPI_CALL note_buffer(
    VkDevice device, const VkBufferCreateInfo *info, const VkAllocationCallbacks *allocator, VkBuffer *buffer) {
    VkResult result = create_buffer(device, info, allocator, buffer);
    if (result == VK_SUCCESS) {
        pthread_mutex_lock(&lock);
        size_t place = place_of(*buffer);
        usages[place].buffer = *buffer;
        usages[place].usage = info->usage;
        pthread_mutex_unlock(&lock);
    }
    return result;
}

static VKAPI_ATTR void VKAPI_CALL count_copy(
    VkCommandBuffer commands, VkBuffer from, VkBuffer to, uint32_t count, const VkBufferCopy *regions) {
    unsigned long size = 0;
    for (uint32_t i = 0; i < count; i++) size += regions[i].size;
    if (usage_of(from) == VK_BUFFER_USAGE_TRANSFER_SRC_BIT) {
        sent += size;
    } else if (usage_of(to) == VK_BUFFER_USAGE_TRANSFER_DST_BIT) {
        reads++;
        read_bytes += size;
    }
    cmd_copy_buffer(commands, from, to, count, regions);
}

static const struct { const char *name; PFN_vkVoidFunction ours, *next; } counted[] = {
    {"vkCmdDispatch", (PFN_vkVoidFunction)count_dispatch, (PFN_vkVoidFunction *)&cmd_dispatch},
    {"vkCmdDispatchIndirect", (PFN_vkVoidFunction)count_dispatch_indirect, (PFN_vkVoidFunction *)&cmd_dispatch_indirect},
    {"vkQueueSubmit", (PFN_vkVoidFunction)count_submit, (PFN_vkVoidFunction *)&queue_submit},
    {"vkQueueSubmit2", (PFN_vkVoidFunction)count_submit_2, (PFN_vkVoidFunction *)&queue_submit_2},
    {"vkCreateBuffer", (PFN_vkVoidFunction)note_buffer, (PFN_vkVoidFunction *)&create_buffer},
    {"vkCmdCopyBuffer", (PFN_vkVoidFunction)count_copy, (PFN_vkVoidFunction *)&cmd_copy_buffer},
};

static VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL device_function(VkDevice device, const char *name) {
    if (!strcmp(name, "vkGetDeviceProcAddr")) return (PFN_vkVoidFunction)device_function;
    PFN_vkVoidFunction next = next_device(device, name);
    for (size_t i = 0; i < sizeof counted / sizeof *counted; i++) {
        size_t length = strlen(counted[i].name);
        /* Extensions have the same functions with KHR behind their names. */
        if (next && !strncmp(name, counted[i].name, length) && (!name[length] || !strcmp(name + length, "KHR"))) {
            if (!*counted[i].next) *counted[i].next = next;
            return counted[i].ours;
        }
    }
    return next;
}

static VKAPI_ATTR VkResult VKAPI_CALL create_instance(
    const VkInstanceCreateInfo *info, const VkAllocationCallbacks *allocator, VkInstance *instance) {
    VkLayerInstanceCreateInfo *link = (VkLayerInstanceCreateInfo *)info->pNext;
    while (link && !(link->sType == VK_STRUCTURE_TYPE_LOADER_INSTANCE_CREATE_INFO && link->function == VK_LAYER_LINK_INFO)) {
        link = (VkLayerInstanceCreateInfo *)link->pNext;
    }
    if (!link) return VK_ERROR_INITIALIZATION_FAILED;
    next_instance = link->u.pLayerInfo->pfnNextGetInstanceProcAddr;
    link->u.pLayerInfo = link->u.pLayerInfo->pNext;
    PFN_vkCreateInstance create = (PFN_vkCreateInstance)next_instance(VK_NULL_HANDLE, "vkCreateInstance");
    VkResult result = create(info, allocator, instance);
    if (result == VK_SUCCESS) the_instance = *instance;
    return result;
}

static VKAPI_ATTR VkResult VKAPI_CALL create_device(
    VkPhysicalDevice physical, const VkDeviceCreateInfo *info, const VkAllocationCallbacks *allocator, VkDevice *device) {
    VkLayerDeviceCreateInfo *link = (VkLayerDeviceCreateInfo *)info->pNext;
    while (link && !(link->sType == VK_STRUCTURE_TYPE_LOADER_DEVICE_CREATE_INFO && link->function == VK_LAYER_LINK_INFO)) {
        link = (VkLayerDeviceCreateInfo *)link->pNext;
    }
    if (!link) return VK_ERROR_INITIALIZATION_FAILED;
    PFN_vkGetInstanceProcAddr instance = link->u.pLayerInfo->pfnNextGetInstanceProcAddr;
    next_device = link->u.pLayerInfo->pfnNextGetDeviceProcAddr;
    link->u.pLayerInfo = link->u.pLayerInfo->pNext;
    PFN_vkCreateDevice create = (PFN_vkCreateDevice)instance(the_instance, "vkCreateDevice");
    return create(physical, info, allocator, device);
}

static VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL instance_function(VkInstance instance, const char *name) {
    if (!strcmp(name, "vkGetInstanceProcAddr")) return (PFN_vkVoidFunction)instance_function;
    if (!strcmp(name, "vkCreateInstance")) return (PFN_vkVoidFunction)create_instance;
    if (!strcmp(name, "vkCreateDevice")) return (PFN_vkVoidFunction)create_device;
    if (!strcmp(name, "vkGetDeviceProcAddr")) return (PFN_vkVoidFunction)device_function;
    return next_instance ? next_instance(instance, name) : NULL;
}

EXPORT VKAPI_ATTR VkResult VKAPI_CALL vkNegotiateLoaderLayerInterfaceVersion(VkNegotiateLayerInterface *interface) {
    interface->loaderLayerInterfaceVersion = 2;
    interface->pfnGetInstanceProcAddr = instance_function;
    interface->pfnGetDeviceProcAddr = device_function;
    interface->pfnGetPhysicalDeviceProcAddr = NULL;
    return VK_SUCCESS;
}
