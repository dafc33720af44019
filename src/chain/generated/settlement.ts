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
        "name": "balance",
        "type": "uint256"
      },
      {
        "internalType": "uint256",
        "name": "needed",
        "type": "uint256"
      }
    ],
    "name": "InsufficientBalance",
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
  '0x60a080604052346100c257306080525f5160206126fc5f395f51905f525460ff8160401c166100b3576002600160401b03196001600160401b03821601610060575b60405161263590816100c78239608051818181610ff0015261110b0152f35b6001600160401b0319166001600160401b039081175f5160206126fc5f395f51905f525581527fc7f505b2f371ae2175ee4913f4499e1f2633a7b5936321eed1cdaeb6115181d290602090a15f80610041565b63f92ee8a960e01b5f5260045ffd5b5f80fdfe6080806040526004361015610012575f80fd5b5f3560e01c90816301ffc9a71461164b575080630f6bf2b8146115c057806311df999514611550578063248a9ca3146114e85780632f2ff15d1461146d57806331fc9ee11461144e57806336568abe146113c65780634720b4481461138d5780634f1ef2861461106857806352d1902d14610fab5780635b1e860c14610f375780636fad40d514610f1857806391d1485414610e84578063996517cf14610e1057806399f19cea14610d5e578063a217fddf14610d26578063ad3cb1cc14610c74578063bb79ea6a14610bb6578063d547741f14610b34578063f5ae185c14610734578063f5b541a6146106dc5763f7f7550c1461010e575f80fd5b3461058c5760407ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc36011261058c5760043560243567ffffffffffffffff811161058c573660238201121561058c57806004013567ffffffffffffffff811161058c578060071b90366024838501011161058c57335f9081527f448256db8f8fb95ee3eaaf89c1051414494e85cebb6057fcf996cc3d0ccfb456602052604090205460ff161561068c5780158015610682575b61065757816024604051946044830186527fdb6ec7790000000000000000000000000000000000000000000000000000000060208701528186019360208552604487015201606485013760407fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe0608384860101169283825201902091835f527f13fd32f4d643b54f6efd355dff2fda4e2df7912f8224524549c0c35254a87d0060205260405f20805461062b576001817f8000000000000000000000000000000000000000000000000000000000000000869355015573ffffffffffffffffffffffffffffffffffffffff7f4de9dd434774d270f73041439873e4fe463cf48c68184ed1cf0b9021a2d1f2005416917f5c975abb000000000000000000000000000000000000000000000000000000008152602081600481865afa908115610620575f916105e5575b506105bd57610318916122aa565b908151820191602083019060208185031261058c57602081015167ffffffffffffffff811161058c5701926080908490031261058c57604051926080840184811067ffffffffffffffff821117610590576040526020810151845260408101516020850190815260608201519160408601928352608081015167ffffffffffffffff811161058c57602091010183601f8201121561058c578051906103bc826117c2565b946103ca6040519687611781565b8286526020838301011161058c57815f9260208093018388015e8501015260608501928352519051906103fc81612361565b91901561055e57505061040e8161248a565b91901561053057505082517f800000000000000000000000000000000000000000000000000000000000000017845f527f13fd32f4d643b54f6efd355dff2fda4e2df7912f8224524549c0c35254a87d0060205260405f205551905f5b82518110156104fc576020818401015160f81c9060058210156104cf5780866001938061049c575b5050500161046b565b60207fa845394a25f519dff48a412292e8c6ac46771f8452736b804febbb30873ea3b991604051908152a380865f610493565b7f4e487b71000000000000000000000000000000000000000000000000000000005f52602160045260245ffd5b847faf2c4e7d176e152c0cc2e76d8efe25a50448614c471de39ab088d1c944bbb701604084875182519182526020820152a2005b7f8643345b000000000000000000000000000000000000000000000000000000005f5260045260245260445ffd5b7f494d91e9000000000000000000000000000000000000000000000000000000005f5260045260245260445ffd5b5f80fd5b7f4e487b71000000000000000000000000000000000000000000000000000000005f52604160045260245ffd5b7fbf95b913000000000000000000000000000000000000000000000000000000005f5260045ffd5b90506020813d602011610618575b8161060060209383611781565b8101031261058c5751801515810361058c575f61030a565b3d91506105f3565b6040513d5f823e3d90fd5b847f2e045c07000000000000000000000000000000000000000000000000000000005f5260045260245ffd5b7fa6f74985000000000000000000000000000000000000000000000000000000005f5260045260245ffd5b5060ff81116101c1565b7fe2517d3f000000000000000000000000000000000000000000000000000000005f52336004527f97667070c54ef182b0f5858b034beac1b6f3089aa2d3188bb1e8929f4fa9b92960245260445ffd5b3461058c575f7ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc36011261058c5760206040517f97667070c54ef182b0f5858b034beac1b6f3089aa2d3188bb1e8929f4fa9b9298152f35b3461058c5760e07ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc36011261058c5761076b61172a565b610773611707565b6044359067ffffffffffffffff821161058c573660238301121561058c5781600401359067ffffffffffffffff821161058c576024830192602436918460051b01011161058c5760407fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff9c36011261058c5760407fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff5c36011261058c577ff0c57e16840df040f15088dc2f81fe391c3923bec73e23a9662efc9c229c6a005460ff8160401c16159467ffffffffffffffff821680159081610b2c575b6001149081610b22575b159081610b19575b50610af157818660017fffffffffffffffffffffffffffffffffffffffffffffffff000000000000000073ffffffffffffffffffffffffffffffffffffffff9516177ff0c57e16840df040f15088dc2f81fe391c3923bec73e23a9662efc9c229c6a0055610a9c575b50169081158015610a7e575b610a5657610948917fffffffffffffffffffffffff00000000000000000000000000000000000000007f4de9dd434774d270f73041439873e4fe463cf48c68184ed1cf0b9021a2d1f2005416177f4de9dd434774d270f73041439873e4fe463cf48c68184ed1cf0b9021a2d1f20055611948565b505f5b818110610a085783610961608435606435611fb2565b61096f60c43560a435611c45565b61097557005b7fffffffffffffffffffffffffffffffffffffffffffffff00ffffffffffffffff7ff0c57e16840df040f15088dc2f81fe391c3923bec73e23a9662efc9c229c6a0054167ff0c57e16840df040f15088dc2f81fe391c3923bec73e23a9662efc9c229c6a00557fc7f505b2f371ae2175ee4913f4499e1f2633a7b5936321eed1cdaeb6115181d2602060405160018152a1005b73ffffffffffffffffffffffffffffffffffffffff610a30610a2b8385876117fc565b611839565b1615610a565780610a4f610a4a610a2b60019486886117fc565b611a2f565b500161094b565b7fd92e233d000000000000000000000000000000000000000000000000000000005f5260045ffd5b5073ffffffffffffffffffffffffffffffffffffffff8116156108d4565b7fffffffffffffffffffffffffffffffffffffffffffffff0000000000000000001668010000000000000001177ff0c57e16840df040f15088dc2f81fe391c3923bec73e23a9662efc9c229c6a0055866108c8565b7ff92ee8a9000000000000000000000000000000000000000000000000000000005f5260045ffd5b9050158761085f565b303b159150610857565b87915061084d565b3461058c5760407ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc36011261058c57610bb4600435610b71611707565b90610baf610baa825f527f02dd7bc7dec4dceedda775e58dd541e08a116c6c53815c0bd028192f7b626800602052600160405f20015490565b6118c2565b611eaa565b005b3461058c5760207ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc36011261058c576004355f527f13fd32f4d643b54f6efd355dff2fda4e2df7912f8224524549c0c35254a87d00602052606060405f20600181549101547f7fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff604051927f80000000000000000000000000000000000000000000000000000000000000008116151584521660208301526040820152f35b3461058c575f7ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc36011261058c576040805190610cb18183611781565b6005825260208201917f352e302e3000000000000000000000000000000000000000000000000000000083527fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe0601f8351948593602085525180918160208701528686015e5f85828601015201168101030190f35b3461058c575f7ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc36011261058c5760206040515f8152f35b3461058c575f7ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc36011261058c576fffffffffffffffffffffffffffffffff7f2404a1879013120371c6e44eaacf5f1c65e7eac75b9cf1b49b624415026fd0005416610de97f2404a1879013120371c6e44eaacf5f1c65e7eac75b9cf1b49b624415026fd000612251565b9081811115610e0657602091610dfe91612217565b604051908152f35b505060205f610dfe565b3461058c575f7ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc36011261058c5760407f2404a1879013120371c6e44eaacf5f1c65e7eac75b9cf1b49b624415026fd000548151906fffffffffffffffffffffffffffffffff8116825260801c6020820152f35b3461058c5760407ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc36011261058c57610ebb611707565b6004355f527f02dd7bc7dec4dceedda775e58dd541e08a116c6c53815c0bd028192f7b62680060205273ffffffffffffffffffffffffffffffffffffffff60405f2091165f52602052602060ff60405f2054166040519015158152f35b3461058c57610bb4610f293661174d565b90610f3261185a565b611fb2565b3461058c575f7ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc36011261058c5760407f2404a1879013120371c6e44eaacf5f1c65e7eac75b9cf1b49b624415026fd002548151906fffffffffffffffffffffffffffffffff8116825260801c6020820152f35b3461058c575f7ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc36011261058c5773ffffffffffffffffffffffffffffffffffffffff7f00000000000000000000000000000000000000000000000000000000000000001630036110405760206040517f360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc8152f35b7fe07c8dba000000000000000000000000000000000000000000000000000000005f5260045ffd5b60407ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc36011261058c5761109a61172a565b6024359067ffffffffffffffff821161058c573660238301121561058c5781600401356110c6816117c2565b926110d46040519485611781565b818452366024838301011161058c57815f92602460209301838701378401015273ffffffffffffffffffffffffffffffffffffffff7f00000000000000000000000000000000000000000000000000000000000000001680301490811561134b575b506110405761114361185a565b73ffffffffffffffffffffffffffffffffffffffff8116916040517f52d1902d000000000000000000000000000000000000000000000000000000008152602081600481875afa5f9181611317575b506111c357837f4c9c8ce3000000000000000000000000000000000000000000000000000000005f5260045260245ffd5b807f360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc8592036112ec5750823b156112c157807fffffffffffffffffffffffff00000000000000000000000000000000000000007f360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc5416177f360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc557fbc7cd75a20ee27fd9adebab32041f755214dbc6bffa90cc0225b39da2e5c2d3b5f80a280511561129057610bb4916125fe565b50503461129957005b7fb398979f000000000000000000000000000000000000000000000000000000005f5260045ffd5b7f4c9c8ce3000000000000000000000000000000000000000000000000000000005f5260045260245ffd5b7faa1d49a4000000000000000000000000000000000000000000000000000000005f5260045260245ffd5b9091506020813d602011611343575b8161133360209383611781565b8101031261058c57519085611192565b3d9150611326565b905073ffffffffffffffffffffffffffffffffffffffff7f360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc5416141583611136565b3461058c575f7ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc36011261058c57602060405160ff8152f35b3461058c5760407ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc36011261058c576113fd611707565b3373ffffffffffffffffffffffffffffffffffffffff82160361142657610bb490600435611eaa565b7f6697b232000000000000000000000000000000000000000000000000000000005f5260045ffd5b3461058c57610bb461145f3661174d565b9061146861185a565b611c45565b3461058c5760407ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc36011261058c57610bb46004356114aa611707565b906114e3610baa825f527f02dd7bc7dec4dceedda775e58dd541e08a116c6c53815c0bd028192f7b626800602052600160405f20015490565b611b33565b3461058c5760207ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc36011261058c576020610dfe6004355f527f02dd7bc7dec4dceedda775e58dd541e08a116c6c53815c0bd028192f7b626800602052600160405f20015490565b3461058c575f7ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc36011261058c57602073ffffffffffffffffffffffffffffffffffffffff7f4de9dd434774d270f73041439873e4fe463cf48c68184ed1cf0b9021a2d1f2005416604051908152f35b3461058c575f7ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc36011261058c576fffffffffffffffffffffffffffffffff7f2404a1879013120371c6e44eaacf5f1c65e7eac75b9cf1b49b624415026fd0025416610de97f2404a1879013120371c6e44eaacf5f1c65e7eac75b9cf1b49b624415026fd002612251565b3461058c5760207ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc36011261058c57600435907fffffffff00000000000000000000000000000000000000000000000000000000821680920361058c57817f7965db0b00000000000000000000000000000000000000000000000000000000602093149081156116dd575b5015158152f35b7f01ffc9a700000000000000000000000000000000000000000000000000000000915014836116d6565b6024359073ffffffffffffffffffffffffffffffffffffffff8216820361058c57565b6004359073ffffffffffffffffffffffffffffffffffffffff8216820361058c57565b7ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc604091011261058c576004359060243590565b90601f7fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe0910116810190811067ffffffffffffffff82111761059057604052565b67ffffffffffffffff811161059057601f017fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe01660200190565b919081101561180c5760051b0190565b7f4e487b71000000000000000000000000000000000000000000000000000000005f52603260045260245ffd5b3573ffffffffffffffffffffffffffffffffffffffff8116810361058c5790565b335f9081527fb7db2dd08fcb62d0c9e08c51941cae53c267786a0b75803fb7960902fc8ef97d602052604090205460ff161561189257565b7fe2517d3f000000000000000000000000000000000000000000000000000000005f52336004525f60245260445ffd5b805f527f02dd7bc7dec4dceedda775e58dd541e08a116c6c53815c0bd028192f7b62680060205260405f2073ffffffffffffffffffffffffffffffffffffffff33165f5260205260ff60405f205416156119195750565b7fe2517d3f000000000000000000000000000000000000000000000000000000005f523360045260245260445ffd5b73ffffffffffffffffffffffffffffffffffffffff81165f9081527fb7db2dd08fcb62d0c9e08c51941cae53c267786a0b75803fb7960902fc8ef97d602052604090205460ff16611a2a5773ffffffffffffffffffffffffffffffffffffffff165f8181527fb7db2dd08fcb62d0c9e08c51941cae53c267786a0b75803fb7960902fc8ef97d6020526040812080547fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff001660011790553391907f2f8788117e7eff1d82e926ec794901d17c78024a50270940304540a733656f0d8180a4600190565b505f90565b73ffffffffffffffffffffffffffffffffffffffff81165f9081527f448256db8f8fb95ee3eaaf89c1051414494e85cebb6057fcf996cc3d0ccfb456602052604090205460ff16611a2a5773ffffffffffffffffffffffffffffffffffffffff165f8181527f448256db8f8fb95ee3eaaf89c1051414494e85cebb6057fcf996cc3d0ccfb4566020526040812080547fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff001660011790553391907f97667070c54ef182b0f5858b034beac1b6f3089aa2d3188bb1e8929f4fa9b929907f2f8788117e7eff1d82e926ec794901d17c78024a50270940304540a733656f0d9080a4600190565b805f527f02dd7bc7dec4dceedda775e58dd541e08a116c6c53815c0bd028192f7b62680060205260405f2073ffffffffffffffffffffffffffffffffffffffff83165f5260205260ff60405f205416155f14611c3f57805f527f02dd7bc7dec4dceedda775e58dd541e08a116c6c53815c0bd028192f7b62680060205260405f2073ffffffffffffffffffffffffffffffffffffffff83165f5260205260405f2060017fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff0082541617905573ffffffffffffffffffffffffffffffffffffffff339216907f2f8788117e7eff1d82e926ec794901d17c78024a50270940304540a733656f0d5f80a4600190565b50505f90565b6040907f2d2b7338c9e02eccf16a1be2f48b25583bd5cec43be5f7030ee8f8487456b8bd926fffffffffffffffffffffffffffffffff611ca47f2404a1879013120371c6e44eaacf5f1c65e7eac75b9cf1b49b624415026fd002612251565b167fffffffffffffffffffffffffffffffff000000000000000000000000000000007f2404a1879013120371c6e44eaacf5f1c65e7eac75b9cf1b49b624415026fd0035416177f2404a1879013120371c6e44eaacf5f1c65e7eac75b9cf1b49b624415026fd003557f2404a1879013120371c6e44eaacf5f1c65e7eac75b9cf1b49b624415026fd003547fffffffffffffffff0000000000000000ffffffffffffffffffffffffffffffff77ffffffffffffffff00000000000000000000000000000000804260801b16169116177f2404a1879013120371c6e44eaacf5f1c65e7eac75b9cf1b49b624415026fd003556fffffffffffffffffffffffffffffffff611dae836125a2565b167fffffffffffffffffffffffffffffffff000000000000000000000000000000007f2404a1879013120371c6e44eaacf5f1c65e7eac75b9cf1b49b624415026fd0025416177f2404a1879013120371c6e44eaacf5f1c65e7eac75b9cf1b49b624415026fd00255611e1f816125a2565b6fffffffffffffffffffffffffffffffff7fffffffffffffffffffffffffffffffff000000000000000000000000000000007f2404a1879013120371c6e44eaacf5f1c65e7eac75b9cf1b49b624415026fd002549260801b169116177f2404a1879013120371c6e44eaacf5f1c65e7eac75b9cf1b49b624415026fd0025582519182526020820152a1565b805f527f02dd7bc7dec4dceedda775e58dd541e08a116c6c53815c0bd028192f7b62680060205260405f2073ffffffffffffffffffffffffffffffffffffffff83165f5260205260ff60405f2054165f14611c3f57805f527f02dd7bc7dec4dceedda775e58dd541e08a116c6c53815c0bd028192f7b62680060205260405f2073ffffffffffffffffffffffffffffffffffffffff83165f5260205260405f207fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff00815416905573ffffffffffffffffffffffffffffffffffffffff339216907ff6391f5c32d9c69d2a47ea670b442974b53935d1edc7fd64eb21e047a839171b5f80a4600190565b6040907f40855777e591993b8d5ccae9ca46d530409e9295dac35c7295b14cd850cca590926fffffffffffffffffffffffffffffffff6120117f2404a1879013120371c6e44eaacf5f1c65e7eac75b9cf1b49b624415026fd000612251565b167fffffffffffffffffffffffffffffffff000000000000000000000000000000007f2404a1879013120371c6e44eaacf5f1c65e7eac75b9cf1b49b624415026fd0015416177f2404a1879013120371c6e44eaacf5f1c65e7eac75b9cf1b49b624415026fd001557f2404a1879013120371c6e44eaacf5f1c65e7eac75b9cf1b49b624415026fd001547fffffffffffffffff0000000000000000ffffffffffffffffffffffffffffffff77ffffffffffffffff00000000000000000000000000000000804260801b16169116177f2404a1879013120371c6e44eaacf5f1c65e7eac75b9cf1b49b624415026fd001556fffffffffffffffffffffffffffffffff61211b836125a2565b167fffffffffffffffffffffffffffffffff000000000000000000000000000000007f2404a1879013120371c6e44eaacf5f1c65e7eac75b9cf1b49b624415026fd0005416177f2404a1879013120371c6e44eaacf5f1c65e7eac75b9cf1b49b624415026fd0005561218c816125a2565b6fffffffffffffffffffffffffffffffff7fffffffffffffffffffffffffffffffff000000000000000000000000000000007f2404a1879013120371c6e44eaacf5f1c65e7eac75b9cf1b49b624415026fd000549260801b169116177f2404a1879013120371c6e44eaacf5f1c65e7eac75b9cf1b49b624415026fd0005582519182526020820152a1565b9190820391821161222457565b7f4e487b71000000000000000000000000000000000000000000000000000000005f52601160045260245ffd5b600181015461226d67ffffffffffffffff8260801c1642612217565b915460801c91828102928184041490151715612224576fffffffffffffffffffffffffffffffff169080821115611c3f576122a791612217565b90565b905f809160208151910182855af1808061234e575b156122ce5750506122a761261c565b156123155773ffffffffffffffffffffffffffffffffffffffff907f9996b315000000000000000000000000000000000000000000000000000000005f521660045260245ffd5b3d15612326576040513d5f823e3d90fd5b7fd6bda275000000000000000000000000000000000000000000000000000000005f5260045ffd5b503d1515806122bf5750813b15156122bf565b908115612482576123917f2404a1879013120371c6e44eaacf5f1c65e7eac75b9cf1b49b624415026fd000612251565b7f2404a1879013120371c6e44eaacf5f1c65e7eac75b9cf1b49b624415026fd000546fffffffffffffffffffffffffffffffff168180821115612479576123d791612217565b925b8380821161247057508101809111612224577f2404a1879013120371c6e44eaacf5f1c65e7eac75b9cf1b49b624415026fd00180547fffffffffffffffff000000000000000000000000000000000000000000000000166fffffffffffffffffffffffffffffffff92909216919091174260801b77ffffffffffffffff000000000000000000000000000000001617905560019190565b935050505f9190565b50505f926123d9565b600191505f90565b908115612482576124ba7f2404a1879013120371c6e44eaacf5f1c65e7eac75b9cf1b49b624415026fd002612251565b7f2404a1879013120371c6e44eaacf5f1c65e7eac75b9cf1b49b624415026fd002546fffffffffffffffffffffffffffffffff1681808211156125995761250091612217565b925b8380821161247057508101809111612224577f2404a1879013120371c6e44eaacf5f1c65e7eac75b9cf1b49b624415026fd00380547fffffffffffffffff000000000000000000000000000000000000000000000000166fffffffffffffffffffffffffffffffff92909216919091174260801b77ffffffffffffffff000000000000000000000000000000001617905560019190565b50505f92612502565b6fffffffffffffffffffffffffffffffff81116125ce576fffffffffffffffffffffffffffffffff1690565b7f6dfcc650000000000000000000000000000000000000000000000000000000005f52608060045260245260445ffd5b905f8091602081519101845af4808061234e57156122ce5750506122a75b604051903d82523d5f602084013e60203d83010160405256f0c57e16840df040f15088dc2f81fe391c3923bec73e23a9662efc9c229c6a00' as const
