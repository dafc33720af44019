// Generated from @openzeppelin/contracts/governance/TimelockController.sol by contracts/tools/generate.ts. Do not edit.

/** The ABI of @openzeppelin/contracts/governance/TimelockController.sol. */
export const timelockAbi = [
  {
    "inputs": [
      {
        "internalType": "uint256",
        "name": "minDelay",
        "type": "uint256"
      },
      {
        "internalType": "address[]",
        "name": "proposers",
        "type": "address[]"
      },
      {
        "internalType": "address[]",
        "name": "executors",
        "type": "address[]"
      },
      {
        "internalType": "address",
        "name": "admin",
        "type": "address"
      }
    ],
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
    "inputs": [],
    "name": "FailedCall",
    "type": "error"
  },
  {
    "inputs": [
      {
        "internalType": "uint256",
        "name": "delay",
        "type": "uint256"
      },
      {
        "internalType": "uint256",
        "name": "minDelay",
        "type": "uint256"
      }
    ],
    "name": "TimelockInsufficientDelay",
    "type": "error"
  },
  {
    "inputs": [
      {
        "internalType": "uint256",
        "name": "targets",
        "type": "uint256"
      },
      {
        "internalType": "uint256",
        "name": "payloads",
        "type": "uint256"
      },
      {
        "internalType": "uint256",
        "name": "values",
        "type": "uint256"
      }
    ],
    "name": "TimelockInvalidOperationLength",
    "type": "error"
  },
  {
    "inputs": [
      {
        "internalType": "address",
        "name": "caller",
        "type": "address"
      }
    ],
    "name": "TimelockUnauthorizedCaller",
    "type": "error"
  },
  {
    "inputs": [
      {
        "internalType": "bytes32",
        "name": "predecessorId",
        "type": "bytes32"
      }
    ],
    "name": "TimelockUnexecutedPredecessor",
    "type": "error"
  },
  {
    "inputs": [
      {
        "internalType": "bytes32",
        "name": "operationId",
        "type": "bytes32"
      },
      {
        "internalType": "bytes32",
        "name": "expectedStates",
        "type": "bytes32"
      }
    ],
    "name": "TimelockUnexpectedOperationState",
    "type": "error"
  },
  {
    "anonymous": false,
    "inputs": [
      {
        "indexed": true,
        "internalType": "bytes32",
        "name": "id",
        "type": "bytes32"
      },
      {
        "indexed": true,
        "internalType": "uint256",
        "name": "index",
        "type": "uint256"
      },
      {
        "indexed": false,
        "internalType": "address",
        "name": "target",
        "type": "address"
      },
      {
        "indexed": false,
        "internalType": "uint256",
        "name": "value",
        "type": "uint256"
      },
      {
        "indexed": false,
        "internalType": "bytes",
        "name": "data",
        "type": "bytes"
      }
    ],
    "name": "CallExecuted",
    "type": "event"
  },
  {
    "anonymous": false,
    "inputs": [
      {
        "indexed": true,
        "internalType": "bytes32",
        "name": "id",
        "type": "bytes32"
      },
      {
        "indexed": false,
        "internalType": "bytes32",
        "name": "salt",
        "type": "bytes32"
      }
    ],
    "name": "CallSalt",
    "type": "event"
  },
  {
    "anonymous": false,
    "inputs": [
      {
        "indexed": true,
        "internalType": "bytes32",
        "name": "id",
        "type": "bytes32"
      },
      {
        "indexed": true,
        "internalType": "uint256",
        "name": "index",
        "type": "uint256"
      },
      {
        "indexed": false,
        "internalType": "address",
        "name": "target",
        "type": "address"
      },
      {
        "indexed": false,
        "internalType": "uint256",
        "name": "value",
        "type": "uint256"
      },
      {
        "indexed": false,
        "internalType": "bytes",
        "name": "data",
        "type": "bytes"
      },
      {
        "indexed": false,
        "internalType": "bytes32",
        "name": "predecessor",
        "type": "bytes32"
      },
      {
        "indexed": false,
        "internalType": "uint256",
        "name": "delay",
        "type": "uint256"
      }
    ],
    "name": "CallScheduled",
    "type": "event"
  },
  {
    "anonymous": false,
    "inputs": [
      {
        "indexed": true,
        "internalType": "bytes32",
        "name": "id",
        "type": "bytes32"
      }
    ],
    "name": "Cancelled",
    "type": "event"
  },
  {
    "anonymous": false,
    "inputs": [
      {
        "indexed": false,
        "internalType": "uint256",
        "name": "oldDuration",
        "type": "uint256"
      },
      {
        "indexed": false,
        "internalType": "uint256",
        "name": "newDuration",
        "type": "uint256"
      }
    ],
    "name": "MinDelayChange",
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
    "inputs": [],
    "name": "CANCELLER_ROLE",
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
    "name": "EXECUTOR_ROLE",
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
    "name": "PROPOSER_ROLE",
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
        "name": "id",
        "type": "bytes32"
      }
    ],
    "name": "cancel",
    "outputs": [],
    "stateMutability": "nonpayable",
    "type": "function"
  },
  {
    "inputs": [
      {
        "internalType": "address",
        "name": "target",
        "type": "address"
      },
      {
        "internalType": "uint256",
        "name": "value",
        "type": "uint256"
      },
      {
        "internalType": "bytes",
        "name": "payload",
        "type": "bytes"
      },
      {
        "internalType": "bytes32",
        "name": "predecessor",
        "type": "bytes32"
      },
      {
        "internalType": "bytes32",
        "name": "salt",
        "type": "bytes32"
      }
    ],
    "name": "execute",
    "outputs": [],
    "stateMutability": "payable",
    "type": "function"
  },
  {
    "inputs": [
      {
        "internalType": "address[]",
        "name": "targets",
        "type": "address[]"
      },
      {
        "internalType": "uint256[]",
        "name": "values",
        "type": "uint256[]"
      },
      {
        "internalType": "bytes[]",
        "name": "payloads",
        "type": "bytes[]"
      },
      {
        "internalType": "bytes32",
        "name": "predecessor",
        "type": "bytes32"
      },
      {
        "internalType": "bytes32",
        "name": "salt",
        "type": "bytes32"
      }
    ],
    "name": "executeBatch",
    "outputs": [],
    "stateMutability": "payable",
    "type": "function"
  },
  {
    "inputs": [],
    "name": "getMinDelay",
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
    "inputs": [
      {
        "internalType": "bytes32",
        "name": "id",
        "type": "bytes32"
      }
    ],
    "name": "getOperationState",
    "outputs": [
      {
        "internalType": "enum TimelockController.OperationState",
        "name": "",
        "type": "uint8"
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
        "name": "id",
        "type": "bytes32"
      }
    ],
    "name": "getTimestamp",
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
        "name": "target",
        "type": "address"
      },
      {
        "internalType": "uint256",
        "name": "value",
        "type": "uint256"
      },
      {
        "internalType": "bytes",
        "name": "data",
        "type": "bytes"
      },
      {
        "internalType": "bytes32",
        "name": "predecessor",
        "type": "bytes32"
      },
      {
        "internalType": "bytes32",
        "name": "salt",
        "type": "bytes32"
      }
    ],
    "name": "hashOperation",
    "outputs": [
      {
        "internalType": "bytes32",
        "name": "",
        "type": "bytes32"
      }
    ],
    "stateMutability": "pure",
    "type": "function"
  },
  {
    "inputs": [
      {
        "internalType": "address[]",
        "name": "targets",
        "type": "address[]"
      },
      {
        "internalType": "uint256[]",
        "name": "values",
        "type": "uint256[]"
      },
      {
        "internalType": "bytes[]",
        "name": "payloads",
        "type": "bytes[]"
      },
      {
        "internalType": "bytes32",
        "name": "predecessor",
        "type": "bytes32"
      },
      {
        "internalType": "bytes32",
        "name": "salt",
        "type": "bytes32"
      }
    ],
    "name": "hashOperationBatch",
    "outputs": [
      {
        "internalType": "bytes32",
        "name": "",
        "type": "bytes32"
      }
    ],
    "stateMutability": "pure",
    "type": "function"
  },
  {
    "inputs": [
      {
        "internalType": "bytes32",
        "name": "id",
        "type": "bytes32"
      }
    ],
    "name": "isOperation",
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
        "internalType": "bytes32",
        "name": "id",
        "type": "bytes32"
      }
    ],
    "name": "isOperationDone",
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
        "internalType": "bytes32",
        "name": "id",
        "type": "bytes32"
      }
    ],
    "name": "isOperationPending",
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
        "internalType": "bytes32",
        "name": "id",
        "type": "bytes32"
      }
    ],
    "name": "isOperationReady",
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
        "name": "",
        "type": "address"
      },
      {
        "internalType": "address",
        "name": "",
        "type": "address"
      },
      {
        "internalType": "uint256[]",
        "name": "",
        "type": "uint256[]"
      },
      {
        "internalType": "uint256[]",
        "name": "",
        "type": "uint256[]"
      },
      {
        "internalType": "bytes",
        "name": "",
        "type": "bytes"
      }
    ],
    "name": "onERC1155BatchReceived",
    "outputs": [
      {
        "internalType": "bytes4",
        "name": "",
        "type": "bytes4"
      }
    ],
    "stateMutability": "nonpayable",
    "type": "function"
  },
  {
    "inputs": [
      {
        "internalType": "address",
        "name": "",
        "type": "address"
      },
      {
        "internalType": "address",
        "name": "",
        "type": "address"
      },
      {
        "internalType": "uint256",
        "name": "",
        "type": "uint256"
      },
      {
        "internalType": "uint256",
        "name": "",
        "type": "uint256"
      },
      {
        "internalType": "bytes",
        "name": "",
        "type": "bytes"
      }
    ],
    "name": "onERC1155Received",
    "outputs": [
      {
        "internalType": "bytes4",
        "name": "",
        "type": "bytes4"
      }
    ],
    "stateMutability": "nonpayable",
    "type": "function"
  },
  {
    "inputs": [
      {
        "internalType": "address",
        "name": "",
        "type": "address"
      },
      {
        "internalType": "address",
        "name": "",
        "type": "address"
      },
      {
        "internalType": "uint256",
        "name": "",
        "type": "uint256"
      },
      {
        "internalType": "bytes",
        "name": "",
        "type": "bytes"
      }
    ],
    "name": "onERC721Received",
    "outputs": [
      {
        "internalType": "bytes4",
        "name": "",
        "type": "bytes4"
      }
    ],
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
        "internalType": "address",
        "name": "target",
        "type": "address"
      },
      {
        "internalType": "uint256",
        "name": "value",
        "type": "uint256"
      },
      {
        "internalType": "bytes",
        "name": "data",
        "type": "bytes"
      },
      {
        "internalType": "bytes32",
        "name": "predecessor",
        "type": "bytes32"
      },
      {
        "internalType": "bytes32",
        "name": "salt",
        "type": "bytes32"
      },
      {
        "internalType": "uint256",
        "name": "delay",
        "type": "uint256"
      }
    ],
    "name": "schedule",
    "outputs": [],
    "stateMutability": "nonpayable",
    "type": "function"
  },
  {
    "inputs": [
      {
        "internalType": "address[]",
        "name": "targets",
        "type": "address[]"
      },
      {
        "internalType": "uint256[]",
        "name": "values",
        "type": "uint256[]"
      },
      {
        "internalType": "bytes[]",
        "name": "payloads",
        "type": "bytes[]"
      },
      {
        "internalType": "bytes32",
        "name": "predecessor",
        "type": "bytes32"
      },
      {
        "internalType": "bytes32",
        "name": "salt",
        "type": "bytes32"
      },
      {
        "internalType": "uint256",
        "name": "delay",
        "type": "uint256"
      }
    ],
    "name": "scheduleBatch",
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
        "internalType": "uint256",
        "name": "newDelay",
        "type": "uint256"
      }
    ],
    "name": "updateDelay",
    "outputs": [],
    "stateMutability": "nonpayable",
    "type": "function"
  },
  {
    "stateMutability": "payable",
    "type": "receive"
  }
] as const

/** The bytecode that creates it; constructor arguments are appended by the deployer. */
export const timelockBytecode =
  '0x60806040523461016657611bb7803803806100198161016a565b92833981019060808183031261016657805160208201519091906001600160401b038111610166578361004d9183016101b7565b604082015190936001600160401b0382116101665761007360609161007a9385016101b7565b92016101a3565b61008330610249565b506001600160a01b038116610156575b505f5b83518110156100e0576001906100be6001600160a01b036100b78388610221565b51166102bf565b506100d9828060a01b036100d28388610221565b5116610352565b5001610096565b50905f5b82518110156101135760019061010c6001600160a01b036101058387610221565b51166103e5565b50016100e4565b7f11c24f4ead16507c69ac467fbd5e4eed5fb5c699626d2cc6d66421df253886d5604083806002558151905f82526020820152a160405161169e90816104798239f35b61015f90610249565b505f610093565b5f80fd5b6040519190601f01601f191682016001600160401b0381118382101761018f57604052565b634e487b7160e01b5f52604160045260245ffd5b51906001600160a01b038216820361016657565b9080601f83011215610166578151916001600160401b03831161018f578260051b906020806101e781850161016a565b80968152019282010192831161016657602001905b8282106102095750505090565b60208091610216846101a3565b8152019101906101fc565b80518210156102355760209160051b010190565b634e487b7160e01b5f52603260045260245ffd5b6001600160a01b0381165f9081525f516020611b975f395f51905f52602052604090205460ff166102ba576001600160a01b03165f8181525f516020611b975f395f51905f5260205260408120805460ff191660011790553391905f516020611b175f395f51905f528180a4600190565b505f90565b6001600160a01b0381165f9081525f516020611b375f395f51905f52602052604090205460ff166102ba576001600160a01b03165f8181525f516020611b375f395f51905f5260205260408120805460ff191660011790553391907fb09aa5aeb3702cfd50b6b62bc4532604938f21248a27a1d5ca736082b6819cc1905f516020611b175f395f51905f529080a4600190565b6001600160a01b0381165f9081525f516020611b775f395f51905f52602052604090205460ff166102ba576001600160a01b03165f8181525f516020611b775f395f51905f5260205260408120805460ff191660011790553391907ffd643c72710c63c0180259aba6b2d05451e3591a24e58b62239378085726f783905f516020611b175f395f51905f529080a4600190565b6001600160a01b0381165f9081525f516020611b575f395f51905f52602052604090205460ff166102ba576001600160a01b03165f8181525f516020611b575f395f51905f5260205260408120805460ff191660011790553391907fd8aa0f3194971a2a116679f7c2090f6939c8d4e01a2a8d7e41d55e5351469e63905f516020611b175f395f51905f529080a460019056fe6080604052600436101561001a575b3615610018575f80fd5b005b5f3560e01c806301d5062a14610c3957806301ffc9a714610b6557806307bd026514610b2b578063134008d314610a7857806313bc9f2014610a5a578063150b7a02146109ec578063248a9ca3146109c25780632ab0f529146109a45780632f2ff15d1461096757806331d507501461094957806336568abe146108ec578063584b153e146108c457806364d62353146108465780637958004c146108035780638065657f146107e45780638f2a0bb0146106435780638f61f4f51461060957806391d14854146105c0578063a217fddf146105a6578063b08e51c01461056c578063b1c5f42714610542578063bc197c8114610492578063c4d252f5146103b4578063d45c44351461038a578063d547741f14610346578063e38335e5146101e1578063f23a6e61146101735763f27a0c920361000e573461016f575f36600319011261016f576020600254604051908152f35b5f80fd5b3461016f5760a036600319011261016f5761018c610ce5565b50610195610cfb565b5060843567ffffffffffffffff811161016f576101b6903690600401610de0565b5060206040517ff23a6e61000000000000000000000000000000000000000000000000000000008152f35b6101ea36610e57565b5f80527fdae2aa361dfd1ca020a396615627d436107c35eff9fe7738a3512819782d70696020527f5ba6852781629bcdcd4bdaa6de76d786f1c64b16acdac474e55bebc0ea1579515492979196919593949260ff1615610338575b82821480159061032e575b6102fa5761026761026e91888a888789888d611129565b968761146d565b5f5b8181106102805761001887611531565b8080887fc2617efa69bab66782fa219543714338489c4e9e178271560a91b82c3f612b5888886102f16102d88f986001998f828e6102cb8f836102c6916102d1966110af565b6110d3565b976110af565b35956110e7565b906102e5828287876114de565b60405194859485610f89565b0390a301610270565b5086907fffb03211000000000000000000000000000000000000000000000000000000005f5260045260245260445260645ffd5b5087821415610250565b610341336113a0565b610245565b3461016f57604036600319011261016f57610018600435610365610cfb565b9061038561037e825f525f602052600160405f20015490565b3390611422565b6115dc565b3461016f57602036600319011261016f576004355f526001602052602060405f2054604051908152f35b3461016f57602036600319011261016f57335f9081527fc3ad33e20b0c56a223ad5104fff154aa010f8715b9c981fd38fdc60a4d1a52fb60205260409020546004359060ff161561045b5761040881610ff8565b1561044157805f5260016020525f60408120557fbaa1eb22f2a492ba1a5fea61b8df4d27c6c8b5f3971e63bb58fa14ff72eedb705f80a2005b635ead8eb560e01b5f52600452600460021760245260445ffd5b63e2517d3f60e01b5f52336004527ffd643c72710c63c0180259aba6b2d05451e3591a24e58b62239378085726f78360245260445ffd5b3461016f5760a036600319011261016f576104ab610ce5565b506104b4610cfb565b5060443567ffffffffffffffff811161016f576104d5903690600401610ec8565b5060643567ffffffffffffffff811161016f576104f6903690600401610ec8565b5060843567ffffffffffffffff811161016f57610517903690600401610de0565b5060206040517fbc197c81000000000000000000000000000000000000000000000000000000008152f35b3461016f57602061056461055536610e57565b96959095949194939293611129565b604051908152f35b3461016f575f36600319011261016f5760206040517ffd643c72710c63c0180259aba6b2d05451e3591a24e58b62239378085726f7838152f35b3461016f575f36600319011261016f5760206040515f8152f35b3461016f57604036600319011261016f576105d9610cfb565b6004355f525f6020526001600160a01b0360405f2091165f52602052602060ff60405f2054166040519015158152f35b3461016f575f36600319011261016f5760206040517fb09aa5aeb3702cfd50b6b62bc4532604938f21248a27a1d5ca736082b6819cc18152f35b3461016f5760c036600319011261016f5760043567ffffffffffffffff811161016f57610674903690600401610e26565b9060243567ffffffffffffffff811161016f57610695903690600401610e26565b60449291923567ffffffffffffffff811161016f576106b8903690600401610e26565b9390916064356084359560a435926106cf3361131e565b8089148015906107da575b6107a7576106ee88848489858a8f8e611129565b986106f9858b611292565b895f5b8281106107395750898061070c57005b60207f20fda5fd27a1ea7bf5b9567f143ac5470bb059374a27e8f67cb44f946f6d038791604051908152a2005b806001927f4cf4410cc57040e44862ef0f45f3dd5a5e02db8eb8add648d4b0e236f1d07dca8b8b61079c8f8c61078f8f928e6107888f8f906107826102c68f80979481956110af565b996110af565b35976110e7565b9060405196879687610f50565b0390a3018a906106fc565b90887fffb03211000000000000000000000000000000000000000000000000000000005f5260045260245260445260645ffd5b50818914156106da565b3461016f5760206105646107f736610d3f565b94939093929192611059565b3461016f57602036600319011261016f5761081f600435611021565b6040516004821015610832576020918152f35b634e487b7160e01b5f52602160045260245ffd5b3461016f57602036600319011261016f57600435303303610898577f11c24f4ead16507c69ac467fbd5e4eed5fb5c699626d2cc6d66421df253886d560406002548151908152836020820152a1600255005b7fe2850c59000000000000000000000000000000000000000000000000000000005f523360045260245ffd5b3461016f57602036600319011261016f5760206108e2600435610ff8565b6040519015158152f35b3461016f57604036600319011261016f57610905610cfb565b336001600160a01b0382160361092157610018906004356115dc565b7f6697b232000000000000000000000000000000000000000000000000000000005f5260045ffd5b3461016f57602036600319011261016f5760206108e2600435610fe1565b3461016f57604036600319011261016f57610018600435610986610cfb565b9061099f61037e825f525f602052600160405f20015490565b61154f565b3461016f57602036600319011261016f5760206108e2600435610fc9565b3461016f57602036600319011261016f5760206105646004355f525f602052600160405f20015490565b3461016f57608036600319011261016f57610a05610ce5565b50610a0e610cfb565b5060643567ffffffffffffffff811161016f57610a2f903690600401610de0565b5060206040517f150b7a02000000000000000000000000000000000000000000000000000000008152f35b3461016f57602036600319011261016f5760206108e2600435610fb1565b610018610b095f610b157fc2617efa69bab66782fa219543714338489c4e9e178271560a91b82c3f612b58610b00610aaf36610d3f565b7fd8aa0f3194971a2a116679f7c2090f6939c8d4e01a2a8d7e41d55e5351469e638a9995979299949394528960205260408a208a805260205260ff60408b20541615610b1d575b8884848989611059565b9889978861146d565b6102e5828287876114de565b0390a3611531565b610b26336113a0565b610af6565b3461016f575f36600319011261016f5760206040517fd8aa0f3194971a2a116679f7c2090f6939c8d4e01a2a8d7e41d55e5351469e638152f35b3461016f57602036600319011261016f576004357fffffffff00000000000000000000000000000000000000000000000000000000811680910361016f57807f4e2312e00000000000000000000000000000000000000000000000000000000060209214908115610bdc575b506040519015158152f35b7f7965db0b00000000000000000000000000000000000000000000000000000000811491508115610c0f575b5082610bd1565b7f01ffc9a70000000000000000000000000000000000000000000000000000000091501482610c08565b3461016f5760c036600319011261016f57610c52610ce5565b6024359060443567ffffffffffffffff811161016f577f4cf4410cc57040e44862ef0f45f3dd5a5e02db8eb8add648d4b0e236f1d07dca92610c995f923690600401610d11565b94909160643594610cdb6084359660a43590610cb43361131e565b610cc289828c8a8989611059565b998a97610ccf848a611292565b60405196879687610f50565b0390a38061070c57005b600435906001600160a01b038216820361016f57565b602435906001600160a01b038216820361016f57565b9181601f8401121561016f5782359167ffffffffffffffff831161016f576020838186019501011161016f57565b60a060031982011261016f576004356001600160a01b038116810361016f5791602435916044359067ffffffffffffffff821161016f57610d8291600401610d11565b90916064359060843590565b90601f8019910116810190811067ffffffffffffffff821117610db057604052565b634e487b7160e01b5f52604160045260245ffd5b67ffffffffffffffff8111610db057601f01601f191660200190565b81601f8201121561016f57803590610df782610dc4565b92610e056040519485610d8e565b8284526020838301011161016f57815f926020809301838601378301015290565b9181601f8401121561016f5782359167ffffffffffffffff831161016f576020808501948460051b01011161016f57565b60a060031982011261016f5760043567ffffffffffffffff811161016f5781610e8291600401610e26565b9290929160243567ffffffffffffffff811161016f5781610ea591600401610e26565b929092916044359067ffffffffffffffff821161016f57610d8291600401610e26565b9080601f8301121561016f5781359167ffffffffffffffff8311610db0578260051b9060405193610efc6020840186610d8e565b845260208085019282010192831161016f57602001905b828210610f205750505090565b8135815260209182019101610f13565b908060209392818452848401375f828201840152601f01601f1916010190565b929093610f7f926001600160a01b0360809699989799168552602085015260a0604085015260a0840191610f30565b9460608201520152565b610fae94926001600160a01b0360609316825260208201528160408201520191610f30565b90565b610fba90611021565b60048110156108325760021490565b610fd290611021565b60048110156108325760031490565b610fea90611021565b600481101561083257151590565b61100190611021565b60048110156108325760018114908115611019575090565b600291501490565b5f52600160205260405f205480155f1461103a57505f90565b600181036110485750600390565b42101561105457600190565b600290565b946110906110a9949592936040519687956001600160a01b03602088019a168a52604087015260a0606087015260c0860191610f30565b91608084015260a083015203601f198101835282610d8e565b51902090565b91908110156110bf5760051b0190565b634e487b7160e01b5f52603260045260245ffd5b356001600160a01b038116810361016f5790565b91908110156110bf5760051b81013590601e198136030182121561016f57019081359167ffffffffffffffff831161016f57602001823603811361016f579190565b9693949190969592956040519660208801988060c08a0160a08c525260e0890192905f905b80821061125f57505050878203601f190160408901528082527f07ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff811161016f579087959394929160051b8092602083013701848103606086015260208101849052600584901b8101604090810194908201915f90889036829003601e1901905b8484106111f8575050505050506110a99450608084015260a083015203601f198101835282610d8e565b91939597909294969850601f19601f198383030101875289358381121561016f578401906020823592019167ffffffffffffffff811161016f57803603831361016f5761124b6020928392600195610f30565b9b0197019401918a989699979593916111ce565b9091938435906001600160a01b038216820361016f57602080916001600160a01b0360019416815201950192019061114e565b9061129c82610fe1565b611306576002548082106112d757504201908142116112c3575f52600160205260405f2055565b634e487b7160e01b5f52601160045260245ffd5b907f54336609000000000000000000000000000000000000000000000000000000005f5260045260245260445ffd5b50635ead8eb560e01b5f52600452600160245260445ffd5b6001600160a01b0381165f9081527f3412d5605ac6cd444957cedb533e5dacad6378b4bc819ebe3652188a665066d5602052604090205460ff16156113605750565b6001600160a01b039063e2517d3f60e01b5f52166004527fb09aa5aeb3702cfd50b6b62bc4532604938f21248a27a1d5ca736082b6819cc160245260445ffd5b6001600160a01b0381165f9081527fdae2aa361dfd1ca020a396615627d436107c35eff9fe7738a3512819782d7069602052604090205460ff16156113e25750565b6001600160a01b039063e2517d3f60e01b5f52166004527fd8aa0f3194971a2a116679f7c2090f6939c8d4e01a2a8d7e41d55e5351469e6360245260445ffd5b90815f525f60205260405f206001600160a01b0382165f5260205260ff60405f2054161561144e575050565b6001600160a01b039063e2517d3f60e01b5f521660045260245260445ffd5b61147681610fb1565b156114c75750801515806114b7575b61148c5750565b7f90a9a618000000000000000000000000000000000000000000000000000000005f5260045260245ffd5b506114c181610fc9565b15611485565b635ead8eb560e01b5f52600452600460245260445ffd5b611526935f93928493826040519384928337810185815203925af13d15611529573d9061150a82610dc4565b916115186040519384610d8e565b82523d5f602084013e61165f565b50565b60609061165f565b61153a81610fb1565b156114c7575f526001602052600160405f2055565b805f525f60205260405f206001600160a01b0383165f5260205260ff60405f205416155f146115d657805f525f60205260405f206001600160a01b0383165f5260205260405f20600160ff198254161790556001600160a01b03339216907f2f8788117e7eff1d82e926ec794901d17c78024a50270940304540a733656f0d5f80a4600190565b50505f90565b805f525f60205260405f206001600160a01b0383165f5260205260ff60405f2054165f146115d657805f525f60205260405f206001600160a01b0383165f5260205260405f2060ff1981541690556001600160a01b03339216907ff6391f5c32d9c69d2a47ea670b442974b53935d1edc7fd64eb21e047a839171b5f80a4600190565b156116675790565b80511561167657602081519101fd5b7fd6bda275000000000000000000000000000000000000000000000000000000005f5260045ffd2f8788117e7eff1d82e926ec794901d17c78024a50270940304540a733656f0d3412d5605ac6cd444957cedb533e5dacad6378b4bc819ebe3652188a665066d5dae2aa361dfd1ca020a396615627d436107c35eff9fe7738a3512819782d7069c3ad33e20b0c56a223ad5104fff154aa010f8715b9c981fd38fdc60a4d1a52fbad3228b676f7d3cd4284a5443f17f1962b36e491b30a40b2405849e597ba5fb5' as const

/** The code that runs, with zeros in the place of its immutables: 32 bytes at each offset. */
export const timelockRuntime = {
  hash: '0x3172cd82739b956712a8e394aef78be5da391759f5854df9684157e497a9d6d5',
  size: 5790,
  immutableOffsets: [],
} as const
