typedef int cuzk_rpc_stub;
