//! The page's engine and its trainer are modules of WebAssembly: the examples of this package.
