// Generated from contracts/src/Settlement.sol by contracts/tools/generate.ts. Do not edit.

/** The ABI of contracts/src/Settlement.sol. */
export const settlementAbi = [
  {
    "inputs": [],
    "stateMutability": "nonpayable",
    "type": "constructor"
  },
  {
    "inputs": [],
    "name": "AccessControlBadConfirmation",
    "type": "error"
  },
  {
    "inputs": [
      {
        "internalType": "address",
        "name": "account",
        "type": "address"
      },
      {
        "internalType": "bytes32",
        "name": "neededRole",
        "type": "bytes32"
      }
    ],
    "name": "AccessControlUnauthorizedAccount",
    "type": "error"
  },
  {
    "inputs": [
      {
        "internalType": "address",
        "name": "target",
        "type": "address"
      }
    ],
    "name": "AddressEmptyCode",
    "type": "error"
  },
  {
    "inputs": [
      {
        "internalType": "uint256",
        "name": "batchId",
        "type": "uint256"
      }
    ],
    "name": "BatchAlreadySettled",
    "type": "error"
  },
  {
    "inputs": [],
    "name": "CoinPaused",
    "type": "error"
  },
  {
    "inputs": [
      {
        "internalType": "uint256",
        "name": "requested",
        "type": "uint256"
      },
      {
        "internalType": "uint256",
        "name": "available",
        "type": "uint256"
      }
    ],
    "name": "DebitLimitExceeded",
    "type": "error"
  },
  {
    "inputs": [
      {
        "internalType": "address",
        "name": "implementation",
        "type": "address"
      }
    ],
    "name": "ERC1967InvalidImplementation",
    "type": "error"
  },
  {
    "inputs": [],
    "name": "ERC1967NonPayable",
    "type": "error"
  },
  {
    "inputs": [],
    "name": "FailedCall",
    "type": "error"
  },
  {
    "inputs": [
      {
        "internalType": "uint256",
        "name": "count",
        "type": "uint256"
      }
    ],
    "name": "InvalidBatchSize",
    "type": "error"
  },
  {
    "inputs": [],
    "name": "InvalidInitialization",
    "type": "error"
  },
  {
    "inputs": [
      {
        "internalType": "uint256",
        "name": "requested",
        "type": "uint256"
      },
      {
        "internalType": "uint256",
        "name": "available",
        "type": "uint256"
      }
    ],
    "name": "MintLimitExceeded",
    "type": "error"
  },
  {
    "inputs": [],
    "name": "NotInitializing",
    "type": "error"
  },
  {
    "inputs": [
      {
        "internalType": "uint8",
        "name": "bits",
        "type": "uint8"
      },
      {
        "internalType": "uint256",
        "name": "value",
        "type": "uint256"
      }
    ],
    "name": "SafeCastOverflowedUintDowncast",
    "type": "error"
  },
  {
    "inputs": [],
    "name": "UUPSUnauthorizedCallContext",
    "type": "error"
  },
  {
    "inputs": [
      {
        "internalType": "bytes32",
        "name": "slot",
        "type": "bytes32"
      }
    ],
    "name": "UUPSUnsupportedProxiableUUID",
    "type": "error"
  },
  {
    "inputs": [],
    "name": "ZeroAddress",
    "type": "error"
  },
  {
    "anonymous": false,
    "inputs": [
      {
        "indexed": true,
        "internalType": "uint256",
        "name": "batchId",
        "type": "uint256"
      },
      {
        "indexed": false,
        "internalType": "bytes32",
        "name": "digest",
        "type": "bytes32"
      },
      {
        "indexed": false,
        "internalType": "uint256",
        "name": "successBitmap",
        "type": "uint256"
      }
    ],
    "name": "BatchSettled",
    "type": "event"
  },
  {
    "anonymous": false,
    "inputs": [
      {
        "indexed": false,
        "internalType": "uint256",
        "name": "capacity",
        "type": "uint256"
      },
      {
        "indexed": false,
        "internalType": "uint256",
        "name": "refillPerSecond",
        "type": "uint256"
      }
    ],
    "name": "DebitLimitSet",
    "type": "event"
  },
  {
    "anonymous": false,
    "inputs": [
      {
        "indexed": false,
        "internalType": "uint64",
        "name": "version",
        "type": "uint64"
      }
    ],
    "name": "Initialized",
    "type": "event"
  },
  {
    "anonymous": false,
    "inputs": [
      {
        "indexed": true,
        "internalType": "uint256",
        "name": "batchId",
        "type": "uint256"
      },
      {
        "indexed": true,
        "internalType": "uint256",
        "name": "index",
        "type": "uint256"
      },
      {
        "indexed": false,
        "internalType": "enum Reason",
        "name": "reason",
        "type": "uint8"
      }
    ],
    "name": "InstructionFailed",
    "type": "event"
  },
  {
    "anonymous": false,
    "inputs": [
      {
        "indexed": false,
        "internalType": "uint256",
        "name": "capacity",
        "type": "uint256"
      },
      {
        "indexed": false,
        "internalType": "uint256",
        "name": "refillPerSecond",
        "type": "uint256"
      }
    ],
    "name": "MintLimitSet",
    "type": "event"
  },
  {
    "anonymous": false,
    "inputs": [
      {
        "indexed": true,
        "internalType": "bytes32",
        "name": "role",
        "type": "bytes32"
      },
      {
        "indexed": true,
        "internalType": "bytes32",
        "name": "previousAdminRole",
        "type": "bytes32"
      },
      {
        "indexed": true,
        "internalType": "bytes32",
        "name": "newAdminRole",
        "type": "bytes32"
      }
    ],
    "name": "RoleAdminChanged",
    "type": "event"
  },
  {
    "anonymous": false,
    "inputs": [
      {
        "indexed": true,
        "internalType": "bytes32",
        "name": "role",
        "type": "bytes32"
      },
      {
        "indexed": true,
        "internalType": "address",
        "name": "account",
        "type": "address"
      },
      {
        "indexed": true,
        "internalType": "address",
        "name": "sender",
        "type": "address"
      }
    ],
    "name": "RoleGranted",
    "type": "event"
  },
  {
    "anonymous": false,
    "inputs": [
      {
        "indexed": true,
        "internalType": "bytes32",
        "name": "role",
        "type": "bytes32"
      },
      {
        "indexed": true,
        "internalType": "address",
        "name": "account",
        "type": "address"
      },
      {
        "indexed": true,
        "internalType": "address",
        "name": "sender",
        "type": "address"
      }
    ],
    "name": "RoleRevoked",
    "type": "event"
  },
  {
    "anonymous": false,
    "inputs": [
      {
        "indexed": true,
        "internalType": "address",
        "name": "implementation",
        "type": "address"
      }
    ],
    "name": "Upgraded",
    "type": "event"
  },
  {
    "inputs": [],
    "name": "DEFAULT_ADMIN_ROLE",
    "outputs": [
      {
        "internalType": "bytes32",
        "name": "",
        "type": "bytes32"
      }
    ],
    "stateMutability": "view",
    "type": "function"
  },
  {
    "inputs": [],
    "name": "MAX_INSTRUCTIONS",
    "outputs": [
      {
        "internalType": "uint256",
        "name": "",
        "type": "uint256"
      }
    ],
    "stateMutability": "view",
    "type": "function"
  },
  {
    "inputs": [],
    "name": "OPERATOR_ROLE",
    "outputs": [
      {
        "internalType": "bytes32",
        "name": "",
        "type": "bytes32"
      }
    ],
    "stateMutability": "view",
    "type": "function"
  },
  {
    "inputs": [],
    "name": "UPGRADE_INTERFACE_VERSION",
    "outputs": [
      {
        "internalType": "string",
        "name": "",
        "type": "string"
      }
    ],
    "stateMutability": "view",
    "type": "function"
  },
  {
    "inputs": [],
    "name": "coin",
    "outputs": [
      {
        "internalType": "address",
        "name": "",
        "type": "address"
      }
    ],
    "stateMutability": "view",
    "type": "function"
  },
  {
    "inputs": [],
    "name": "debitAvailable",
    "outputs": [
      {
        "internalType": "uint256",
        "name": "",
        "type": "uint256"
      }
    ],
    "stateMutability": "view",
    "type": "function"
  },
  {
    "inputs": [],
    "name": "debitLimit",
    "outputs": [
      {
        "internalType": "uint256",
        "name": "capacity",
        "type": "uint256"
      },
      {
        "internalType": "uint256",
        "name": "refillPerSecond",
        "type": "uint256"
      }
    ],
    "stateMutability": "view",
    "type": "function"
  },
  {
    "inputs": [
      {
        "internalType": "bytes32",
        "name": "role",
        "type": "bytes32"
      }
    ],
    "name": "getRoleAdmin",
    "outputs": [
      {
        "internalType": "bytes32",
        "name": "",
        "type": "bytes32"
      }
    ],
    "stateMutability": "view",
    "type": "function"
  },
  {
    "inputs": [
      {
        "internalType": "bytes32",
        "name": "role",
        "type": "bytes32"
      },
      {
        "internalType": "address",
        "name": "account",
        "type": "address"
      }
    ],
    "name": "grantRole",
    "outputs": [],
    "stateMutability": "nonpayable",
    "type": "function"
  },
  {
    "inputs": [
      {
        "internalType": "bytes32",
        "name": "role",
        "type": "bytes32"
      },
      {
        "internalType": "address",
        "name": "account",
        "type": "address"
      }
    ],
    "name": "hasRole",
    "outputs": [
      {
        "internalType": "bool",
        "name": "",
        "type": "bool"
      }
    ],
    "stateMutability": "view",
    "type": "function"
  },
  {
    "inputs": [
      {
        "internalType": "address",
        "name": "coin_",
        "type": "address"
      },
      {
        "internalType": "address",
        "name": "admin",
        "type": "address"
      },
      {
        "internalType": "address[]",
        "name": "operators",
        "type": "address[]"
      },
      {
        "components": [
          {
            "internalType": "uint256",
            "name": "capacity",
            "type": "uint256"
          },
          {
            "internalType": "uint256",
            "name": "refillPerSecond",
            "type": "uint256"
          }
        ],
        "internalType": "struct Settlement.Limit",
        "name": "mintLimit_",
        "type": "tuple"
      },
      {
        "components": [
          {
            "internalType": "uint256",
            "name": "capacity",
            "type": "uint256"
          },
          {
            "internalType": "uint256",
            "name": "refillPerSecond",
            "type": "uint256"
          }
        ],
        "internalType": "struct Settlement.Limit",
        "name": "debitLimit_",
        "type": "tuple"
      }
    ],
    "name": "initialize",
    "outputs": [],
    "stateMutability": "nonpayable",
    "type": "function"
  },
  {
    "inputs": [],
    "name": "mintAvailable",
    "outputs": [
      {
        "internalType": "uint256",
        "name": "",
        "type": "uint256"
      }
    ],
    "stateMutability": "view",
    "type": "function"
  },
  {
    "inputs": [],
    "name": "mintLimit",
    "outputs": [
      {
        "internalType": "uint256",
        "name": "capacity",
        "type": "uint256"
      },
      {
        "internalType": "uint256",
        "name": "refillPerSecond",
        "type": "uint256"
      }
    ],
    "stateMutability": "view",
    "type": "function"
  },
  {
    "inputs": [
      {
        "internalType": "uint256",
        "name": "batchId",
        "type": "uint256"
      }
    ],
    "name": "outcomeOf",
    "outputs": [
      {
        "internalType": "bool",
        "name": "settled",
        "type": "bool"
      },
      {
        "internalType": "uint256",
        "name": "successBitmap",
        "type": "uint256"
      },
      {
        "internalType": "bytes32",
        "name": "digest",
        "type": "bytes32"
      }
    ],
    "stateMutability": "view",
    "type": "function"
  },
  {
    "inputs": [],
    "name": "proxiableUUID",
    "outputs": [
      {
        "internalType": "bytes32",
        "name": "",
        "type": "bytes32"
      }
    ],
    "stateMutability": "view",
    "type": "function"
  },
  {
    "inputs": [
      {
        "internalType": "bytes32",
        "name": "role",
        "type": "bytes32"
      },
      {
        "internalType": "address",
        "name": "callerConfirmation",
        "type": "address"
      }
    ],
    "name": "renounceRole",
    "outputs": [],
    "stateMutability": "nonpayable",
    "type": "function"
  },
  {
    "inputs": [
      {
        "internalType": "bytes32",
        "name": "role",
        "type": "bytes32"
      },
      {
        "internalType": "address",
        "name": "account",
        "type": "address"
      }
    ],
    "name": "revokeRole",
    "outputs": [],
    "stateMutability": "nonpayable",
    "type": "function"
  },
  {
    "inputs": [
      {
        "internalType": "uint256",
        "name": "capacity",
        "type": "uint256"
      },
      {
        "internalType": "uint256",
        "name": "refillPerSecond",
        "type": "uint256"
      }
    ],
    "name": "setDebitLimit",
    "outputs": [],
    "stateMutability": "nonpayable",
    "type": "function"
  },
  {
    "inputs": [
      {
        "internalType": "uint256",
        "name": "capacity",
        "type": "uint256"
      },
      {
        "internalType": "uint256",
        "name": "refillPerSecond",
        "type": "uint256"
      }
    ],
    "name": "setMintLimit",
    "outputs": [],
    "stateMutability": "nonpayable",
    "type": "function"
  },
  {
    "inputs": [
      {
        "internalType": "uint256",
        "name": "batchId",
        "type": "uint256"
      },
      {
        "components": [
          {
            "internalType": "enum Kind",
            "name": "kind",
            "type": "uint8"
          },
          {
            "internalType": "address",
            "name": "from",
            "type": "address"
          },
          {
            "internalType": "address",
            "name": "to",
            "type": "address"
          },
          {
            "internalType": "uint256",
            "name": "amount",
            "type": "uint256"
          }
        ],
        "internalType": "struct Instruction[]",
        "name": "instructions",
        "type": "tuple[]"
      }
    ],
    "name": "settle",
    "outputs": [],
    "stateMutability": "nonpayable",
    "type": "function"
  },
  {
    "inputs": [
      {
        "internalType": "bytes4",
        "name": "interfaceId",
        "type": "bytes4"
      }
    ],
    "name": "supportsInterface",
    "outputs": [
      {
        "internalType": "bool",
        "name": "",
        "type": "bool"
      }
    ],
    "stateMutability": "view",
    "type": "function"
  },
  {
    "inputs": [
      {
        "internalType": "address",
        "name": "newImplementation",
        "type": "address"
      },
      {
        "internalType": "bytes",
        "name": "data",
        "type": "bytes"
      }
    ],
    "name": "upgradeToAndCall",
    "outputs": [],
    "stateMutability": "payable",
    "type": "function"
  }
] as const

/** The bytecode that creates it; constructor arguments are appended by the deployer. */
export const settlementBytecode =
  '0x60a060405230608052348015610013575f5ffd5b5061001c610021565b6100d3565b7ff0c57e16840df040f15088dc2f81fe391c3923bec73e23a9662efc9c229c6a00805468010000000000000000900460ff16156100715760405163f92ee8a960e01b815260040160405180910390fd5b80546001600160401b03908116146100d05780546001600160401b0319166001600160401b0390811782556040519081527fc7f505b2f371ae2175ee4913f4499e1f2633a7b5936321eed1cdaeb6115181d29060200160405180910390a15b50565b60805161232a6100f95f395f81816111710152818161119a0152611384015261232a5ff3fe60806040526004361061016d575f3560e01c80636fad40d5116100c6578063ad3cb1cc1161007c578063f5ae185c11610057578063f5ae185c14610594578063f5b541a6146105b3578063f7f7550c146105e6575f5ffd5b8063ad3cb1cc14610468578063bb79ea6a146104bd578063d547741f14610575575f5ffd5b8063996517cf116100ac578063996517cf146103e457806399f19cea14610441578063a217fddf14610455575f5ffd5b80636fad40d51461035557806391d1485414610374575f5ffd5b806331fc9ee1116101265780634f1ef286116101015780634f1ef286146102c057806352d1902d146102d35780635b1e860c146102e7575f5ffd5b806331fc9ee11461026e57806336568abe1461028d5780634720b448146102ac575f5ffd5b806311df99951161015657806311df9995146101c7578063248a9ca3146102005780632f2ff15d1461024d575f5ffd5b806301ffc9a7146101715780630f6bf2b8146101a5575b5f5ffd5b34801561017c575f5ffd5b5061019061018b366004611d0e565b610605565b60405190151581526020015b60405180910390f35b3480156101b0575f5ffd5b506101b961069d565b60405190815260200161019c565b3480156101d2575f5ffd5b506101db6106cc565b60405173ffffffffffffffffffffffffffffffffffffffff909116815260200161019c565b34801561020b575f5ffd5b506101b961021a366004611d4d565b5f9081527f02dd7bc7dec4dceedda775e58dd541e08a116c6c53815c0bd028192f7b626800602052604090206001015490565b348015610258575f5ffd5b5061026c610267366004611d8c565b61070b565b005b348015610279575f5ffd5b5061026c610288366004611db6565b610754565b348015610298575f5ffd5b5061026c6102a7366004611d8c565b61076d565b3480156102b7575f5ffd5b506101b960ff81565b61026c6102ce366004611e97565b6107c6565b3480156102de575f5ffd5b506101b96107e5565b3480156102f2575f5ffd5b507f2404a1879013120371c6e44eaacf5f1c65e7eac75b9cf1b49b624415026fd002546fffffffffffffffffffffffffffffffff808216917001000000000000000000000000000000009004165b6040805192835260208301919091520161019c565b348015610360575f5ffd5b5061026c61036f366004611db6565b610813565b34801561037f575f5ffd5b5061019061038e366004611d8c565b5f9182527f02dd7bc7dec4dceedda775e58dd541e08a116c6c53815c0bd028192f7b6268006020908152604080842073ffffffffffffffffffffffffffffffffffffffff93909316845291905290205460ff1690565b3480156103ef575f5ffd5b507f2404a1879013120371c6e44eaacf5f1c65e7eac75b9cf1b49b624415026fd000546fffffffffffffffffffffffffffffffff80821691700100000000000000000000000000000000900416610340565b34801561044c575f5ffd5b506101b9610827565b348015610460575f5ffd5b506101b95f81565b348015610473575f5ffd5b506104b06040518060400160405280600581526020017f352e302e3000000000000000000000000000000000000000000000000000000081525081565b60405161019c9190611f22565b3480156104c8575f5ffd5b506105586104d7366004611d4d565b5f9081527f13fd32f4d643b54f6efd355dff2fda4e2df7912f8224524549c0c35254a87d006020526040902080546001909101547f800000000000000000000000000000000000000000000000000000000000000082161515927f7fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff90921691565b60408051931515845260208401929092529082015260600161019c565b348015610580575f5ffd5b5061026c61058f366004611d8c565b610851565b34801561059f575f5ffd5b5061026c6105ae366004611f8b565b610894565b3480156105be575f5ffd5b506101b97f97667070c54ef182b0f5858b034beac1b6f3089aa2d3188bb1e8929f4fa9b92981565b3480156105f1575f5ffd5b5061026c61060036600461203e565b610bc8565b5f7fffffffff0000000000000000000000000000000000000000000000000000000082167f7965db0b00000000000000000000000000000000000000000000000000000000148061069757507f01ffc9a7000000000000000000000000000000000000000000000000000000007fffffffff000000000000000000000000000000000000000000000000000000008316145b92915050565b5f6106c77f2404a1879013120371c6e44eaacf5f1c65e7eac75b9cf1b49b624415026fd002610eba565b905090565b5f7f4de9dd434774d270f73041439873e4fe463cf48c68184ed1cf0b9021a2d1f2005b5473ffffffffffffffffffffffffffffffffffffffff16919050565b5f8281527f02dd7bc7dec4dceedda775e58dd541e08a116c6c53815c0bd028192f7b626800602052604090206001015461074481610ee2565b61074e8383610eef565b50505050565b5f61075e81610ee2565b6107688383611014565b505050565b73ffffffffffffffffffffffffffffffffffffffff811633146107bc576040517f6697b23200000000000000000000000000000000000000000000000000000000815260040160405180910390fd5b610768828261107d565b6107ce611159565b6107d782611229565b6107e18282611233565b5050565b5f6107ee61136c565b507f360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc90565b5f61081d81610ee2565b61076883836113db565b5f6106c77f2404a1879013120371c6e44eaacf5f1c65e7eac75b9cf1b49b624415026fd000610eba565b5f8281527f02dd7bc7dec4dceedda775e58dd541e08a116c6c53815c0bd028192f7b626800602052604090206001015461088a81610ee2565b61074e838361107d565b5f61089d61143c565b805490915060ff68010000000000000000820416159067ffffffffffffffff165f811580156108c95750825b90505f8267ffffffffffffffff1660011480156108e55750303b155b9050811580156108f3575080155b1561092a576040517ff92ee8a900000000000000000000000000000000000000000000000000000000815260040160405180910390fd5b84547fffffffffffffffffffffffffffffffffffffffffffffffff0000000000000000166001178555831561098b5784547fffffffffffffffffffffffffffffffffffffffffffffff00ffffffffffffffff16680100000000000000001785555b73ffffffffffffffffffffffffffffffffffffffff8b1615806109c2575073ffffffffffffffffffffffffffffffffffffffff8a16155b156109f9576040517fd92e233d00000000000000000000000000000000000000000000000000000000815260040160405180910390fd5b7f4de9dd434774d270f73041439873e4fe463cf48c68184ed1cf0b9021a2d1f20080547fffffffffffffffffffffffff00000000000000000000000000000000000000001673ffffffffffffffffffffffffffffffffffffffff8d16179055610a625f8b610eef565b505f5b88811015610b3b575f8a8a83818110610a8057610a806120b8565b9050602002016020810190610a9591906120e5565b73ffffffffffffffffffffffffffffffffffffffff1603610ae2576040517fd92e233d00000000000000000000000000000000000000000000000000000000815260040160405180910390fd5b610b327f97667070c54ef182b0f5858b034beac1b6f3089aa2d3188bb1e8929f4fa9b9298b8b84818110610b1857610b186120b8565b9050602002016020810190610b2d91906120e5565b610eef565b50600101610a65565b50610b4b873560208901356113db565b610b5a86356020880135611014565b8315610bbb5784547fffffffffffffffffffffffffffffffffffffffffffffff00ffffffffffffffff168555604051600181527fc7f505b2f371ae2175ee4913f4499e1f2633a7b5936321eed1cdaeb6115181d29060200160405180910390a15b5050505050505050505050565b7f97667070c54ef182b0f5858b034beac1b6f3089aa2d3188bb1e8929f4fa9b929610bf281610ee2565b5f8383604051602001610c06929190612139565b604051602081830303815290604052805190602001209050610c288582611464565b821580610c35575060ff83115b15610c74576040517fa6f74985000000000000000000000000000000000000000000000000000000008152600481018490526024015b60405180910390fd5b7f4de9dd434774d270f73041439873e4fe463cf48c68184ed1cf0b9021a2d1f20054604080517f5c975abb000000000000000000000000000000000000000000000000000000008152905173ffffffffffffffffffffffffffffffffffffffff909216918291635c975abb9160048083019260209291908290030181865afa158015610d02573d5f5f3e3d5ffd5b505050506040513d601f19601f82011682018060405250810190610d2691906121e2565b15610d5d576040517fbf95b91300000000000000000000000000000000000000000000000000000000815260040160405180910390fd5b6040517fdb6ec7790000000000000000000000000000000000000000000000000000000081525f9073ffffffffffffffffffffffffffffffffffffffff83169063db6ec77990610db39089908990600401612139565b5f604051808303815f875af1158015610dce573d5f5f3e3d5ffd5b505050506040513d5f823e601f3d9081017fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe0168201604052610e139190810190612201565b90505f610e22888888856114f6565b5f8981527f13fd32f4d643b54f6efd355dff2fda4e2df7912f8224524549c0c35254a87d00602052604090207f8000000000000000000000000000000000000000000000000000000000000000821790559050604080518581526020810183905289917faf2c4e7d176e152c0cc2e76d8efe25a50448614c471de39ab088d1c944bbb701910160405180910390a25050505050505050565b80545f90610697906fffffffffffffffffffffffffffffffff16610edd84611647565b6116c5565b610eec81336116dd565b50565b5f8281527f02dd7bc7dec4dceedda775e58dd541e08a116c6c53815c0bd028192f7b6268006020818152604080842073ffffffffffffffffffffffffffffffffffffffff8616855290915282205460ff16611004575f8481526020828152604080832073ffffffffffffffffffffffffffffffffffffffff87168452909152902080547fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff00166001179055610fa03390565b73ffffffffffffffffffffffffffffffffffffffff168373ffffffffffffffffffffffffffffffffffffffff16857f2f8788117e7eff1d82e926ec794901d17c78024a50270940304540a733656f0d60405160405180910390a46001915050610697565b5f915050610697565b5092915050565b61103f7f2404a1879013120371c6e44eaacf5f1c65e7eac75b9cf1b49b624415026fd0028383611783565b60408051838152602081018390527f2d2b7338c9e02eccf16a1be2f48b25583bd5cec43be5f7030ee8f8487456b8bd91015b60405180910390a15050565b5f8281527f02dd7bc7dec4dceedda775e58dd541e08a116c6c53815c0bd028192f7b6268006020818152604080842073ffffffffffffffffffffffffffffffffffffffff8616855290915282205460ff1615611004575f8481526020828152604080832073ffffffffffffffffffffffffffffffffffffffff8716808552925280832080547fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff0016905551339287917ff6391f5c32d9c69d2a47ea670b442974b53935d1edc7fd64eb21e047a839171b9190a46001915050610697565b3073ffffffffffffffffffffffffffffffffffffffff7f00000000000000000000000000000000000000000000000000000000000000001614806111f057507f000000000000000000000000000000000000000000000000000000000000000073ffffffffffffffffffffffffffffffffffffffff166111d7611871565b73ffffffffffffffffffffffffffffffffffffffff1614155b15611227576040517fe07c8dba00000000000000000000000000000000000000000000000000000000815260040160405180910390fd5b565b5f6107e181610ee2565b8173ffffffffffffffffffffffffffffffffffffffff166352d1902d6040518163ffffffff1660e01b8152600401602060405180830381865afa9250505080156112b8575060408051601f3d9081017fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe01682019092526112b591810190612276565b60015b611306576040517f4c9c8ce300000000000000000000000000000000000000000000000000000000815273ffffffffffffffffffffffffffffffffffffffff83166004820152602401610c6b565b7f360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc8114611362576040517faa1d49a400000000000000000000000000000000000000000000000000000000815260048101829052602401610c6b565b6107688383611898565b3073ffffffffffffffffffffffffffffffffffffffff7f00000000000000000000000000000000000000000000000000000000000000001614611227576040517fe07c8dba00000000000000000000000000000000000000000000000000000000815260040160405180910390fd5b6114067f2404a1879013120371c6e44eaacf5f1c65e7eac75b9cf1b49b624415026fd0008383611783565b60408051838152602081018390527f40855777e591993b8d5ccae9ca46d530409e9295dac35c7295b14cd850cca5909101611071565b5f807ff0c57e16840df040f15088dc2f81fe391c3923bec73e23a9662efc9c229c6a00610697565b5f8281527f13fd32f4d643b54f6efd355dff2fda4e2df7912f8224524549c0c35254a87d00602052604090208054156114cc576040517f2e045c0700000000000000000000000000000000000000000000000000000000815260048101849052602401610c6b565b7f800000000000000000000000000000000000000000000000000000000000000081556001015550565b5f8080805b85811015611632575f858281518110611516576115166120b8565b016020015160f81c600481111561152f5761152f61210c565b90505f8160048111156115445761154461210c565b146115885781897fa845394a25f519dff48a412292e8c6ac46771f8452736b804febbb30873ea3b98360405161157a919061228d565b60405180910390a35061162a565b6001821b94909417935f8888848181106115a4576115a46120b8565b6115ba92602060809092020190810191506122a7565b60028111156115cb576115cb61210c565b036115fe578787838181106115e2576115e26120b8565b90506080020160600135846115f791906122ed565b9350611628565b878783818110611610576116106120b8565b905060800201606001358361162591906122ed565b92505b505b6001016114fb565b5061163d82826118fa565b5050949350505050565b805460018201545f918291700100000000000000000000000000000000918290046fffffffffffffffffffffffffffffffff1691611690910467ffffffffffffffff1642612300565b61169a9190612313565b60018401549091506116be906fffffffffffffffffffffffffffffffff16826116c5565b9392505050565b5f8183116116d3575f6116be565b6116be8284612300565b5f8281527f02dd7bc7dec4dceedda775e58dd541e08a116c6c53815c0bd028192f7b6268006020908152604080832073ffffffffffffffffffffffffffffffffffffffff8516845290915290205460ff166107e1576040517fe2517d3f00000000000000000000000000000000000000000000000000000000815273ffffffffffffffffffffffffffffffffffffffff8216600482015260248101839052604401610c6b565b61178c83611647565b6001840180546fffffffffffffffffffffffffffffffff929092167fffffffffffffffff000000000000000000000000000000000000000000000000909216919091177001000000000000000000000000000000004267ffffffffffffffff16021790556117f9826119c6565b83547fffffffffffffffffffffffffffffffff00000000000000000000000000000000166fffffffffffffffffffffffffffffffff9190911617835561183e816119c6565b83546fffffffffffffffffffffffffffffffff918216700100000000000000000000000000000000029116179092555050565b5f7f360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc6106ef565b6118a182611a1f565b60405173ffffffffffffffffffffffffffffffffffffffff8316907fbc7cd75a20ee27fd9adebab32041f755214dbc6bffa90cc0225b39da2e5c2d3b905f90a28051156118f2576107688282611aed565b6107e1611bd2565b7f2404a1879013120371c6e44eaacf5f1c65e7eac75b9cf1b49b624415026fd0005f806119278386611c0a565b915091508161196c576040517f494d91e90000000000000000000000000000000000000000000000000000000081526004810186905260248101829052604401610c6b565b6119796002840185611c0a565b9092509050816119bf576040517f8643345b0000000000000000000000000000000000000000000000000000000081526004810185905260248101829052604401610c6b565b5050505050565b5f6fffffffffffffffffffffffffffffffff821115611a1b576040517f6dfcc6500000000000000000000000000000000000000000000000000000000081526080600482015260248101839052604401610c6b565b5090565b8073ffffffffffffffffffffffffffffffffffffffff163b5f03611a87576040517f4c9c8ce300000000000000000000000000000000000000000000000000000000815273ffffffffffffffffffffffffffffffffffffffff82166004820152602401610c6b565b7f360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc80547fffffffffffffffffffffffff00000000000000000000000000000000000000001673ffffffffffffffffffffffffffffffffffffffff92909216919091179055565b60605f611afa8484611cd7565b9050808015611b2857505f3d1180611b2857505f8473ffffffffffffffffffffffffffffffffffffffff163b115b15611b3d57611b35611cea565b915050610697565b8015611b8d576040517f9996b31500000000000000000000000000000000000000000000000000000000815273ffffffffffffffffffffffffffffffffffffffff85166004820152602401610c6b565b3d15611ba057611b9b611d03565b61100d565b6040517fd6bda27500000000000000000000000000000000000000000000000000000000815260040160405180910390fd5b3415611227576040517fb398979f00000000000000000000000000000000000000000000000000000000815260040160405180910390fd5b5f5f825f03611c1e5750600190505f611cd0565b5f611c2885611647565b8554909150611c49906fffffffffffffffffffffffffffffffff16826116c5565b915081841115611c5c575f925050611cd0565b611c6684826122ed565b600186810180546fffffffffffffffffffffffffffffffff939093167fffffffffffffffff000000000000000000000000000000000000000000000000909316929092177001000000000000000000000000000000004267ffffffffffffffff1602179091559250505b9250929050565b5f5f5f835160208501865af49392505050565b6040513d81523d5f602083013e3d602001810160405290565b6040513d5f823e3d81fd5b5f60208284031215611d1e575f5ffd5b81357fffffffff00000000000000000000000000000000000000000000000000000000811681146116be575f5ffd5b5f60208284031215611d5d575f5ffd5b5035919050565b803573ffffffffffffffffffffffffffffffffffffffff81168114611d87575f5ffd5b919050565b5f5f60408385031215611d9d575f5ffd5b82359150611dad60208401611d64565b90509250929050565b5f5f60408385031215611dc7575f5ffd5b50508035926020909101359150565b7f4e487b71000000000000000000000000000000000000000000000000000000005f52604160045260245ffd5b604051601f82017fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe016810167ffffffffffffffff81118282101715611e4a57611e4a611dd6565b604052919050565b5f67ffffffffffffffff821115611e6b57611e6b611dd6565b50601f017fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe01660200190565b5f5f60408385031215611ea8575f5ffd5b611eb183611d64565b9150602083013567ffffffffffffffff811115611ecc575f5ffd5b8301601f81018513611edc575f5ffd5b8035611eef611eea82611e52565b611e03565b818152866020838501011115611f03575f5ffd5b816020840160208301375f602083830101528093505050509250929050565b602081525f82518060208401528060208501604085015e5f6040828501015260407fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe0601f83011684010191505092915050565b5f60408284031215611f85575f5ffd5b50919050565b5f5f5f5f5f5f60e08789031215611fa0575f5ffd5b611fa987611d64565b9550611fb760208801611d64565b9450604087013567ffffffffffffffff811115611fd2575f5ffd5b8701601f81018913611fe2575f5ffd5b803567ffffffffffffffff811115611ff8575f5ffd5b8960208260051b840101111561200c575f5ffd5b602091909101945092506120238860608901611f75565b91506120328860a08901611f75565b90509295509295509295565b5f5f5f60408486031215612050575f5ffd5b83359250602084013567ffffffffffffffff81111561206d575f5ffd5b8401601f8101861361207d575f5ffd5b803567ffffffffffffffff811115612093575f5ffd5b8660208260071b84010111156120a7575f5ffd5b939660209190910195509293505050565b7f4e487b71000000000000000000000000000000000000000000000000000000005f52603260045260245ffd5b5f602082840312156120f5575f5ffd5b6116be82611d64565b803560038110611d87575f5ffd5b7f4e487b71000000000000000000000000000000000000000000000000000000005f52602160045260245ffd5b602080825281018290525f8360408301825b858110156121d85761215c836120fe565b6003811061216c5761216c61210c565b825273ffffffffffffffffffffffffffffffffffffffff61218f60208501611d64565b16602083015273ffffffffffffffffffffffffffffffffffffffff6121b660408501611d64565b166040830152606083810135908301526080928301929091019060010161214b565b5095945050505050565b5f602082840312156121f2575f5ffd5b815180151581146116be575f5ffd5b5f60208284031215612211575f5ffd5b815167ffffffffffffffff811115612227575f5ffd5b8201601f81018413612237575f5ffd5b8051612245611eea82611e52565b818152856020838501011115612259575f5ffd5b8160208401602083015e5f91810160200191909152949350505050565b5f60208284031215612286575f5ffd5b5051919050565b60208101600583106122a1576122a161210c565b91905290565b5f602082840312156122b7575f5ffd5b6116be826120fe565b7f4e487b71000000000000000000000000000000000000000000000000000000005f52601160045260245ffd5b80820180821115610697576106976122c0565b81810381811115610697576106976122c0565b8082028115828204841417610697576106976122c056' as const
