//! A network's weights as bytes, in burn's own format.

use burn::module::{Module, ModuleMapper, Param, ParamId};
use burn::store::ModuleRecord;
use burn::tensor::{Bytes, Tensor};

use super::QNetwork;
use crate::error::{Error, Result};

impl QNetwork {
    /// The weights in burn's record format; equal weights give equal bytes.
    ///
    /// # Errors
    /// When the device or the format fails.
    pub fn to_bytes(&self) -> Result<Vec<u8>> {
        let record = self.valid().into_record();
        let bytes =
            record.into_bytes().map_err(|error| Error::runtime(format!("the weights cannot be written: {error}")))?;
        Ok(bytes.to_vec())
    }

    /// The same network with weights from [`to_bytes`](Self::to_bytes).
    ///
    /// # Errors
    /// When the bytes are not the weights of a network of this shape.
    pub fn with_bytes(self, bytes: &[u8]) -> Result<Self> {
        let wrong = |error| Error::user(format!("the weights do not fit the network of the configuration: {error}"));
        let record =
            ModuleRecord::from_bytes(Bytes::from_bytes_vec(bytes.to_vec())).map_err(wrong)?.cast_to_module_dtype();
        self.try_load_record(record).map_err(wrong)
    }

    /// Numbers the parameters in the order of the module, instead of at random, so that saved bytes are reproducible.
    pub(super) fn number_parameters(self) -> Self {
        struct Numberer(u64);
        impl ModuleMapper for Numberer {
            fn map_float<const D: usize>(&mut self, param: Param<Tensor<D>>) -> Param<Tensor<D>> {
                let (_, tensor, mapper) = param.consume();
                self.0 += 1;
                Param::from_mapped_value(ParamId::from(self.0), tensor, mapper)
            }
        }
        self.map(&mut Numberer(0))
    }
}
