"""The rules that RUSMARC and UNIMARC share, block by block, and the engine that runs them."""
