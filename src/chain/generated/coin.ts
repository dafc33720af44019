// Generated from contracts/src/Coin.sol by contracts/tools/generate.ts. Do not edit.

/** The ABI of contracts/src/Coin.sol. */
export const coinAbi = [
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
    "inputs": [],
    "name": "ECDSAInvalidSignature",
    "type": "error"
  },
  {
    "inputs": [
      {
        "internalType": "uint256",
        "name": "length",
        "type": "uint256"
      }
    ],
    "name": "ECDSAInvalidSignatureLength",
    "type": "error"
  },
  {
    "inputs": [
      {
        "internalType": "bytes32",
        "name": "s",
        "type": "bytes32"
      }
    ],
    "name": "ECDSAInvalidSignatureS",
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
    "inputs": [
      {
        "internalType": "address",
        "name": "spender",
        "type": "address"
      },
      {
        "internalType": "uint256",
        "name": "allowance",
        "type": "uint256"
      },
      {
        "internalType": "uint256",
        "name": "needed",
        "type": "uint256"
      }
    ],
    "name": "ERC20InsufficientAllowance",
    "type": "error"
  },
  {
    "inputs": [
      {
        "internalType": "address",
        "name": "sender",
        "type": "address"
      },
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
    "name": "ERC20InsufficientBalance",
    "type": "error"
  },
  {
    "inputs": [
      {
        "internalType": "address",
        "name": "approver",
        "type": "address"
      }
    ],
    "name": "ERC20InvalidApprover",
    "type": "error"
  },
  {
    "inputs": [
      {
        "internalType": "address",
        "name": "receiver",
        "type": "address"
      }
    ],
    "name": "ERC20InvalidReceiver",
    "type": "error"
  },
  {
    "inputs": [
      {
        "internalType": "address",
        "name": "sender",
        "type": "address"
      }
    ],
    "name": "ERC20InvalidSender",
    "type": "error"
  },
  {
    "inputs": [
      {
        "internalType": "address",
        "name": "spender",
        "type": "address"
      }
    ],
    "name": "ERC20InvalidSpender",
    "type": "error"
  },
  {
    "inputs": [
      {
        "internalType": "uint256",
        "name": "deadline",
        "type": "uint256"
      }
    ],
    "name": "ERC2612ExpiredSignature",
    "type": "error"
  },
  {
    "inputs": [
      {
        "internalType": "address",
        "name": "signer",
        "type": "address"
      },
      {
        "internalType": "address",
        "name": "owner",
        "type": "address"
      }
    ],
    "name": "ERC2612InvalidSigner",
    "type": "error"
  },
  {
    "inputs": [],
    "name": "EnforcedPause",
    "type": "error"
  },
  {
    "inputs": [],
    "name": "ExpectedPause",
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
        "internalType": "address",
        "name": "wallet",
        "type": "address"
      }
    ],
    "name": "FrozenWallet",
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
        "internalType": "uint256",
        "name": "currentNonce",
        "type": "uint256"
      }
    ],
    "name": "InvalidAccountNonce",
    "type": "error"
  },
  {
    "inputs": [],
    "name": "InvalidInitialization",
    "type": "error"
  },
  {
    "inputs": [],
    "name": "NotInitializing",
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
    "name": "ZeroAddressRole",
    "type": "error"
  },
  {
    "inputs": [],
    "name": "ZeroAddressWallet",
    "type": "error"
  },
  {
    "anonymous": false,
    "inputs": [
      {
        "indexed": true,
        "internalType": "address",
        "name": "owner",
        "type": "address"
      },
      {
        "indexed": true,
        "internalType": "address",
        "name": "spender",
        "type": "address"
      },
      {
        "indexed": false,
        "internalType": "uint256",
        "name": "value",
        "type": "uint256"
      }
    ],
    "name": "Approval",
    "type": "event"
  },
  {
    "anonymous": false,
    "inputs": [],
    "name": "EIP712DomainChanged",
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
        "indexed": false,
        "internalType": "address",
        "name": "account",
        "type": "address"
      }
    ],
    "name": "Paused",
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
        "name": "from",
        "type": "address"
      },
      {
        "indexed": true,
        "internalType": "address",
        "name": "to",
        "type": "address"
      },
      {
        "indexed": false,
        "internalType": "uint256",
        "name": "value",
        "type": "uint256"
      }
    ],
    "name": "Transfer",
    "type": "event"
  },
  {
    "anonymous": false,
    "inputs": [
      {
        "indexed": false,
        "internalType": "address",
        "name": "account",
        "type": "address"
      }
    ],
    "name": "Unpaused",
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
    "anonymous": false,
    "inputs": [
      {
        "indexed": true,
        "internalType": "address",
        "name": "wallet",
        "type": "address"
      }
    ],
    "name": "WalletFrozen",
    "type": "event"
  },
  {
    "anonymous": false,
    "inputs": [
      {
        "indexed": true,
        "internalType": "address",
        "name": "wallet",
        "type": "address"
      }
    ],
    "name": "WalletLinked",
    "type": "event"
  },
  {
    "anonymous": false,
    "inputs": [
      {
        "indexed": true,
        "internalType": "address",
        "name": "wallet",
        "type": "address"
      }
    ],
    "name": "WalletUnfrozen",
    "type": "event"
  },
  {
    "anonymous": false,
    "inputs": [
      {
        "indexed": true,
        "internalType": "address",
        "name": "wallet",
        "type": "address"
      }
    ],
    "name": "WalletUnlinked",
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
    "name": "DOMAIN_SEPARATOR",
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
    "name": "FREEZER_ROLE",
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
    "name": "LINKER_ROLE",
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
    "name": "MAX_INSTRUCTION_AMOUNT",
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
    "name": "PAUSER_ROLE",
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
    "name": "SETTLER_ROLE",
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
    "inputs": [
      {
        "internalType": "address",
        "name": "owner",
        "type": "address"
      },
      {
        "internalType": "address",
        "name": "spender",
        "type": "address"
      }
    ],
    "name": "allowance",
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
        "internalType": "address",
        "name": "spender",
        "type": "address"
      },
      {
        "internalType": "uint256",
        "name": "value",
        "type": "uint256"
      }
    ],
    "name": "approve",
    "outputs": [
      {
        "internalType": "bool",
        "name": "",
        "type": "bool"
      }
    ],
    "stateMutability": "nonpayable",
    "type": "function"
  },
  {
    "inputs": [
      {
        "internalType": "address",
        "name": "account",
        "type": "address"
      }
    ],
    "name": "balanceOf",
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
    "name": "decimals",
    "outputs": [
      {
        "internalType": "uint8",
        "name": "",
        "type": "uint8"
      }
    ],
    "stateMutability": "pure",
    "type": "function"
  },
  {
    "inputs": [],
    "name": "eip712Domain",
    "outputs": [
      {
        "internalType": "bytes1",
        "name": "fields",
        "type": "bytes1"
      },
      {
        "internalType": "string",
        "name": "name",
        "type": "string"
      },
      {
        "internalType": "string",
        "name": "version",
        "type": "string"
      },
      {
        "internalType": "uint256",
        "name": "chainId",
        "type": "uint256"
      },
      {
        "internalType": "address",
        "name": "verifyingContract",
        "type": "address"
      },
      {
        "internalType": "bytes32",
        "name": "salt",
        "type": "bytes32"
      },
      {
        "internalType": "uint256[]",
        "name": "extensions",
        "type": "uint256[]"
      }
    ],
    "stateMutability": "view",
    "type": "function"
  },
  {
    "inputs": [
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
    "name": "execute",
    "outputs": [
      {
        "internalType": "bytes",
        "name": "reasons",
        "type": "bytes"
      }
    ],
    "stateMutability": "nonpayable",
    "type": "function"
  },
  {
    "inputs": [
      {
        "internalType": "address",
        "name": "wallet",
        "type": "address"
      }
    ],
    "name": "freeze",
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
        "internalType": "string",
        "name": "name_",
        "type": "string"
      },
      {
        "internalType": "string",
        "name": "symbol_",
        "type": "string"
      },
      {
        "internalType": "address",
        "name": "admin",
        "type": "address"
      },
      {
        "internalType": "address",
        "name": "pauser",
        "type": "address"
      },
      {
        "internalType": "address",
        "name": "freezer",
        "type": "address"
      },
      {
        "internalType": "address",
        "name": "linker",
        "type": "address"
      }
    ],
    "name": "initialize",
    "outputs": [],
    "stateMutability": "nonpayable",
    "type": "function"
  },
  {
    "inputs": [
      {
        "internalType": "address",
        "name": "wallet",
        "type": "address"
      }
    ],
    "name": "isFrozen",
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
        "name": "wallet",
        "type": "address"
      }
    ],
    "name": "isLinked",
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
        "name": "wallet",
        "type": "address"
      }
    ],
    "name": "linkWallet",
    "outputs": [],
    "stateMutability": "nonpayable",
    "type": "function"
  },
  {
    "inputs": [],
    "name": "name",
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
    "inputs": [
      {
        "internalType": "address",
        "name": "owner",
        "type": "address"
      }
    ],
    "name": "nonces",
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
    "name": "pause",
    "outputs": [],
    "stateMutability": "nonpayable",
    "type": "function"
  },
  {
    "inputs": [],
    "name": "paused",
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
        "name": "owner",
        "type": "address"
      },
      {
        "internalType": "address",
        "name": "spender",
        "type": "address"
      },
      {
        "internalType": "uint256",
        "name": "value",
        "type": "uint256"
      },
      {
        "internalType": "uint256",
        "name": "deadline",
        "type": "uint256"
      },
      {
        "internalType": "uint8",
        "name": "v",
        "type": "uint8"
      },
      {
        "internalType": "bytes32",
        "name": "r",
        "type": "bytes32"
      },
      {
        "internalType": "bytes32",
        "name": "s",
        "type": "bytes32"
      }
    ],
    "name": "permit",
    "outputs": [],
    "stateMutability": "nonpayable",
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
    "inputs": [],
    "name": "symbol",
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
    "name": "totalSupply",
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
        "internalType": "address",
        "name": "to",
        "type": "address"
      },
      {
        "internalType": "uint256",
        "name": "value",
        "type": "uint256"
      }
    ],
    "name": "transfer",
    "outputs": [
      {
        "internalType": "bool",
        "name": "",
        "type": "bool"
      }
    ],
    "stateMutability": "nonpayable",
    "type": "function"
  },
  {
    "inputs": [
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
        "name": "value",
        "type": "uint256"
      }
    ],
    "name": "transferFrom",
    "outputs": [
      {
        "internalType": "bool",
        "name": "",
        "type": "bool"
      }
    ],
    "stateMutability": "nonpayable",
    "type": "function"
  },
  {
    "inputs": [
      {
        "internalType": "address",
        "name": "wallet",
        "type": "address"
      }
    ],
    "name": "unfreeze",
    "outputs": [],
    "stateMutability": "nonpayable",
    "type": "function"
  },
  {
    "inputs": [
      {
        "internalType": "address",
        "name": "wallet",
        "type": "address"
      }
    ],
    "name": "unlinkWallet",
    "outputs": [],
    "stateMutability": "nonpayable",
    "type": "function"
  },
  {
    "inputs": [],
    "name": "unpause",
    "outputs": [],
    "stateMutability": "nonpayable",
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
export const coinBytecode =
  '0x60a060405230608052348015610013575f5ffd5b5061001c610021565b6100d3565b7ff0c57e16840df040f15088dc2f81fe391c3923bec73e23a9662efc9c229c6a00805468010000000000000000900460ff16156100715760405163f92ee8a960e01b815260040160405180910390fd5b80546001600160401b03908116146100d05780546001600160401b0319166001600160401b0390811782556040519081527fc7f505b2f371ae2175ee4913f4499e1f2633a7b5936321eed1cdaeb6115181d29060200160405180910390a15b50565b6080516135c66100f95f395f818161199c015281816119c50152611be501526135c65ff3fe608060405260043610610291575f3560e01c80637445e85c11610165578063b8bb8126116100c6578063dd62ed3e1161007c578063e583983611610062578063e58398361461080f578063e63ab1e91461082e578063fb1afbd714610861575f5ffd5b8063dd62ed3e14610780578063e56f2fe4146107f0575f5ffd5b8063d505accf116100ac578063d505accf14610723578063d547741f14610742578063db6ec77914610761575f5ffd5b8063b8bb8126146106d1578063c80493cf146106f0575f5ffd5b806391d148541161011b578063a217fddf11610101578063a217fddf14610657578063a9059cbb1461066a578063ad3cb1cc14610689575f5ffd5b806391d14854146105d357806395d89b4114610643575f5ffd5b80638456cb591161014b5780638456cb591461057957806384b0196e1461058d5780638d1fdf2f146105b4575f5ffd5b80637445e85c146105275780637ecebe001461055a575f5ffd5b8063313ce5671161020f5780634f1ef286116101c557806352d1902d116101ab57806352d1902d146104e05780635c975abb146104f457806370a0823114610508575f5ffd5b80634f1ef286146104ae5780635027dbe2146104c1575f5ffd5b806336568abe116101f557806336568abe1461045c5780633f4ba83a1461047b57806345c8b1a61461048f575f5ffd5b8063313ce5671461042d5780633644e51514610448575f5ffd5b806318160ddd11610264578063248a9ca31161024a578063248a9ca31461039c5780632d7df24c146103e95780632f2ff15d1461040c575f5ffd5b806318160ddd1461034a57806323b872dd1461037d575f5ffd5b806301ffc9a71461029557806306a85f0f146102c957806306fdde031461030a578063095ea7b31461032b575b5f5ffd5b3480156102a0575f5ffd5b506102b46102af366004612dd1565b610880565b60405190151581526020015b60405180910390f35b3480156102d4575f5ffd5b506102fc7f92de27771f92d6942691d73358b3a4673e4880de8356f8f2cf452be87e02d36381565b6040519081526020016102c0565b348015610315575f5ffd5b5061031e610918565b6040516102c09190612e63565b348015610336575f5ffd5b506102b4610345366004612e9d565b6109d0565b348015610355575f5ffd5b507f52c63247e1f47db19d5ce0460030c497f067ca4cebf71ba98eeadabe20bace02546102fc565b348015610388575f5ffd5b506102b4610397366004612ec5565b6109e7565b3480156103a7575f5ffd5b506102fc6103b6366004612eff565b5f9081527f02dd7bc7dec4dceedda775e58dd541e08a116c6c53815c0bd028192f7b626800602052604090206001015490565b3480156103f4575f5ffd5b506102fc6fffffffffffffffffffffffffffffffff81565b348015610417575f5ffd5b5061042b610426366004612f16565b610a04565b005b348015610438575f5ffd5b50604051600681526020016102c0565b348015610453575f5ffd5b506102fc610a4d565b348015610467575f5ffd5b5061042b610476366004612f16565b610a5b565b348015610486575f5ffd5b5061042b610ab9565b34801561049a575f5ffd5b5061042b6104a9366004612f40565b610afb565b61042b6104bc366004612f86565b610b7a565b3480156104cc575f5ffd5b5061042b6104db366004612f40565b610b95565b3480156104eb575f5ffd5b506102fc610c13565b3480156104ff575f5ffd5b506102b4610c41565b348015610513575f5ffd5b506102fc610522366004612f40565b610c6d565b348015610532575f5ffd5b506102fc7f6666bf5bfee463d10a7fc50448047f8a53b7762d7e28fbc5c643182785f3fd3f81565b348015610565575f5ffd5b506102fc610574366004612f40565b610cbd565b348015610584575f5ffd5b5061042b610cc7565b348015610598575f5ffd5b506105a1610d05565b6040516102c09796959493929190613087565b3480156105bf575f5ffd5b5061042b6105ce366004612f40565b610d63565b3480156105de575f5ffd5b506102b46105ed366004612f16565b5f9182527f02dd7bc7dec4dceedda775e58dd541e08a116c6c53815c0bd028192f7b6268006020908152604080842073ffffffffffffffffffffffffffffffffffffffff93909316845291905290205460ff1690565b34801561064e575f5ffd5b5061031e610de1565b348015610662575f5ffd5b506102fc5f81565b348015610675575f5ffd5b506102b4610684366004612e9d565b610e32565b348015610694575f5ffd5b5061031e6040518060400160405280600581526020017f352e302e3000000000000000000000000000000000000000000000000000000081525081565b3480156106dc575f5ffd5b5061042b6106eb366004612f40565b610e3f565b3480156106fb575f5ffd5b506102fc7f733bac3dca102687aa08c854c5f9067fc424f98fd8e90e41ad6b73aecc59a4fd81565b34801561072e575f5ffd5b5061042b61073d366004613146565b610ebd565b34801561074d575f5ffd5b5061042b61075c366004612f16565b61108a565b34801561076c575f5ffd5b5061031e61077b3660046131b3565b6110cd565b34801561078b575f5ffd5b506102fc61079a366004613224565b73ffffffffffffffffffffffffffffffffffffffff9182165f9081527f52c63247e1f47db19d5ce0460030c497f067ca4cebf71ba98eeadabe20bace016020908152604080832093909416825291909152205490565b3480156107fb575f5ffd5b5061042b61080a366004613291565b61122c565b34801561081a575f5ffd5b506102b4610829366004612f40565b6114db565b348015610839575f5ffd5b506102fc7f65d7a28e3265b37a6474929f336521b332c1681b933f6cb9f3376673440d862a81565b34801561086c575f5ffd5b506102b461087b366004612f40565b61152c565b5f7fffffffff0000000000000000000000000000000000000000000000000000000082167f7965db0b00000000000000000000000000000000000000000000000000000000148061091257507f01ffc9a7000000000000000000000000000000000000000000000000000000007fffffffff000000000000000000000000000000000000000000000000000000008316145b92915050565b60605f7f52c63247e1f47db19d5ce0460030c497f067ca4cebf71ba98eeadabe20bace005b905080600301805461094e90613341565b80601f016020809104026020016040519081016040528092919081815260200182805461097a90613341565b80156109c55780601f1061099c576101008083540402835291602001916109c5565b820191905f5260205f20905b8154815290600101906020018083116109a857829003601f168201915b505050505091505090565b5f336109dd818585611578565b5060019392505050565b5f6109f133611585565b6109fc8484846115dd565b949350505050565b5f8281527f02dd7bc7dec4dceedda775e58dd541e08a116c6c53815c0bd028192f7b6268006020526040902060010154610a3d81611600565b610a47838361160a565b50505050565b5f610a5661172f565b905090565b73ffffffffffffffffffffffffffffffffffffffff81163314610aaa576040517f6697b23200000000000000000000000000000000000000000000000000000000815260040160405180910390fd5b610ab48282611738565b505050565b7f65d7a28e3265b37a6474929f336521b332c1681b933f6cb9f3376673440d862a610ae381611600565b610aeb610c41565b15610af857610af8611814565b50565b7f92de27771f92d6942691d73358b3a4673e4880de8356f8f2cf452be87e02d363610b2581611600565b610b308260026118b1565b15610b765760405173ffffffffffffffffffffffffffffffffffffffff8316907fd247131fabb99dc3ba793524f53f05a77eeef38f12b30119655ee340810b1210905f90a25b5050565b610b82611984565b610b8b82611a8a565b610b768282611a94565b7f733bac3dca102687aa08c854c5f9067fc424f98fd8e90e41ad6b73aecc59a4fd610bbf81611600565b610bca8260016118b1565b15610b765760405173ffffffffffffffffffffffffffffffffffffffff8316907f7d961c60ec9f47d076e48ea95a044038b43ed07c7d0d58f62c8974ad03f64529905f90a25050565b5f610c1c611bcd565b507f360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc90565b5f610a567fcd5ed15c6e187e77e9aee88184c21f4f2182ab5827cb3b7e07fbedcd63f033005460ff1690565b5f807f52c63247e1f47db19d5ce0460030c497f067ca4cebf71ba98eeadabe20bace005b73ffffffffffffffffffffffffffffffffffffffff9093165f9081526020939093525050604090205490565b5f61091282611c3c565b7f65d7a28e3265b37a6474929f336521b332c1681b933f6cb9f3376673440d862a610cf181611600565b610cf9610c41565b610af857610af8611c64565b5f6060805f5f5f6060610d16611cdd565b610d1e611d2e565b604080515f808252602082019092527f0f000000000000000000000000000000000000000000000000000000000000009b939a50919850469750309650945092509050565b7f92de27771f92d6942691d73358b3a4673e4880de8356f8f2cf452be87e02d363610d8d81611600565b610d98826002611d57565b15610b765760405173ffffffffffffffffffffffffffffffffffffffff8316907fc9710d20bdbf99ca92a03644a5a8f85ea6badb387ff0abca08eebdfbff50b77f905f90a25050565b7f52c63247e1f47db19d5ce0460030c497f067ca4cebf71ba98eeadabe20bace0480546060917f52c63247e1f47db19d5ce0460030c497f067ca4cebf71ba98eeadabe20bace009161094e90613341565b5f336109dd818585611e28565b7f733bac3dca102687aa08c854c5f9067fc424f98fd8e90e41ad6b73aecc59a4fd610e6981611600565b610e74826001611d57565b15610b765760405173ffffffffffffffffffffffffffffffffffffffff8316907f4d8fdaf4a9ed34f5c4728e4433b01426b7d84e4272a2004d9c5a4be7b8370b83905f90a25050565b83421115610eff576040517f62791302000000000000000000000000000000000000000000000000000000008152600481018590526024015b60405180910390fd5b5f7f6e71edae12b1b97f4d1f60370fef10105fa2faae0126114a169c64845d6126c9888888610f768c73ffffffffffffffffffffffffffffffffffffffff165f9081527f5ab42ced628888259c08ac98db1eb0cf702fc1501344311d8b100cd1bfe4bb006020526040902080546001810190915590565b60408051602081019690965273ffffffffffffffffffffffffffffffffffffffff94851690860152929091166060840152608083015260a082015260c0810186905260e0016040516020818303038152906040528051906020012090505f610fdd82611ed1565b90505f610fec82878787611f18565b90508973ffffffffffffffffffffffffffffffffffffffff168173ffffffffffffffffffffffffffffffffffffffff1614611073576040517f4b800e4600000000000000000000000000000000000000000000000000000000815273ffffffffffffffffffffffffffffffffffffffff80831660048301528b166024820152604401610ef6565b61107e8a8a8a611578565b50505050505050505050565b5f8281527f02dd7bc7dec4dceedda775e58dd541e08a116c6c53815c0bd028192f7b62680060205260409020600101546110c381611600565b610a478383611738565b60607f6666bf5bfee463d10a7fc50448047f8a53b7762d7e28fbc5c643182785f3fd3f6110f981611600565b611101611f44565b828067ffffffffffffffff81111561111b5761111b612f59565b6040519080825280601f01601f191660200182016040528015611145576020820181803683370190505b5092505f5b81811015611223573686868381811061116557611165613392565b90506080020190505f61117782611f83565b90505f81600481111561118c5761118c6133bf565b036111c3576111be6111a46040840160208501612f40565b6111b46060850160408601612f40565b84606001356121a5565b611219565b8060048111156111d5576111d56133bf565b60f81b8684815181106111ea576111ea613392565b60200101907effffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff191690815f1a9053505b505060010161114a565b50505092915050565b5f6112356121b0565b805490915060ff68010000000000000000820416159067ffffffffffffffff165f811580156112615750825b90505f8267ffffffffffffffff16600114801561127d5750303b155b90508115801561128b575080155b156112c2576040517ff92ee8a900000000000000000000000000000000000000000000000000000000815260040160405180910390fd5b84547fffffffffffffffffffffffffffffffffffffffffffffffff000000000000000016600117855583156113235784547fffffffffffffffffffffffffffffffffffffffffffffff00ffffffffffffffff16680100000000000000001785555b6113a58d8d8080601f0160208091040260200160405190810160405280939291908181526020018383808284375f81840152601f19601f820116905080830192505050505050508c8c8080601f0160208091040260200160405190810160405280939291908181526020018383808284375f920191909152506121d892505050565b6113e38d8d8080601f0160208091040260200160405190810160405280939291908181526020018383808284375f920191909152506121ea92505050565b6113ed5f8a612231565b6114177f65d7a28e3265b37a6474929f336521b332c1681b933f6cb9f3376673440d862a89612231565b6114417f92de27771f92d6942691d73358b3a4673e4880de8356f8f2cf452be87e02d36388612231565b61146b7f733bac3dca102687aa08c854c5f9067fc424f98fd8e90e41ad6b73aecc59a4fd87612231565b83156114cc5784547fffffffffffffffffffffffffffffffffffffffffffffff00ffffffffffffffff168555604051600181527fc7f505b2f371ae2175ee4913f4499e1f2633a7b5936321eed1cdaeb6115181d29060200160405180910390a15b50505050505050505050505050565b73ffffffffffffffffffffffffffffffffffffffff81165f9081527fec311ac4f848c221dddf9cd1755a34ac10fa3f3e23a2bf355ae033065914140060205260408120546002905b16151592915050565b73ffffffffffffffffffffffffffffffffffffffff81165f9081527fec311ac4f848c221dddf9cd1755a34ac10fa3f3e23a2bf355ae03306591414006020526040812054600190611523565b610ab48383836001612288565b61158e816114db565b15610af8576040517f5fba1a5400000000000000000000000000000000000000000000000000000000815273ffffffffffffffffffffffffffffffffffffffff82166004820152602401610ef6565b5f336115ea8582856123f2565b6115f5858585611e28565b506001949350505050565b610af881336124d9565b5f8281527f02dd7bc7dec4dceedda775e58dd541e08a116c6c53815c0bd028192f7b6268006020818152604080842073ffffffffffffffffffffffffffffffffffffffff8616855290915282205460ff1661171f575f8481526020828152604080832073ffffffffffffffffffffffffffffffffffffffff87168452909152902080547fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff001660011790556116bb3390565b73ffffffffffffffffffffffffffffffffffffffff168373ffffffffffffffffffffffffffffffffffffffff16857f2f8788117e7eff1d82e926ec794901d17c78024a50270940304540a733656f0d60405160405180910390a46001915050610912565b5f915050610912565b5092915050565b5f610a5661257f565b5f8281527f02dd7bc7dec4dceedda775e58dd541e08a116c6c53815c0bd028192f7b6268006020818152604080842073ffffffffffffffffffffffffffffffffffffffff8616855290915282205460ff161561171f575f8481526020828152604080832073ffffffffffffffffffffffffffffffffffffffff8716808552925280832080547fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff0016905551339287917ff6391f5c32d9c69d2a47ea670b442974b53935d1edc7fd64eb21e047a839171b9190a46001915050610912565b61181c6125f2565b7fcd5ed15c6e187e77e9aee88184c21f4f2182ab5827cb3b7e07fbedcd63f0330080547fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff001681557f5db9ee0a495bf2e6ff9c91a7834c1ba4fdd244a5e8aa4e537bd38aeae4b073aa335b60405173ffffffffffffffffffffffffffffffffffffffff909116815260200160405180910390a150565b5f73ffffffffffffffffffffffffffffffffffffffff83166118ff576040517fa79afef900000000000000000000000000000000000000000000000000000000815260040160405180910390fd5b5073ffffffffffffffffffffffffffffffffffffffff82165f9081527fec311ac4f848c221dddf9cd1755a34ac10fa3f3e23a2bf355ae03306591414006020819052604090912054821615801591906117285773ffffffffffffffffffffffffffffffffffffffff84165f908152602082905260409020805484191690555092915050565b3073ffffffffffffffffffffffffffffffffffffffff7f0000000000000000000000000000000000000000000000000000000000000000161480611a5157507f000000000000000000000000000000000000000000000000000000000000000073ffffffffffffffffffffffffffffffffffffffff16611a387f360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc5473ffffffffffffffffffffffffffffffffffffffff1690565b73ffffffffffffffffffffffffffffffffffffffff1614155b15611a88576040517fe07c8dba00000000000000000000000000000000000000000000000000000000815260040160405180910390fd5b565b5f610b7681611600565b8173ffffffffffffffffffffffffffffffffffffffff166352d1902d6040518163ffffffff1660e01b8152600401602060405180830381865afa925050508015611b19575060408051601f3d9081017fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe0168201909252611b16918101906133ec565b60015b611b67576040517f4c9c8ce300000000000000000000000000000000000000000000000000000000815273ffffffffffffffffffffffffffffffffffffffff83166004820152602401610ef6565b7f360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc8114611bc3576040517faa1d49a400000000000000000000000000000000000000000000000000000000815260048101829052602401610ef6565b610ab48383612630565b3073ffffffffffffffffffffffffffffffffffffffff7f00000000000000000000000000000000000000000000000000000000000000001614611a88576040517fe07c8dba00000000000000000000000000000000000000000000000000000000815260040160405180910390fd5b5f807f5ab42ced628888259c08ac98db1eb0cf702fc1501344311d8b100cd1bfe4bb00610c91565b611c6c611f44565b7fcd5ed15c6e187e77e9aee88184c21f4f2182ab5827cb3b7e07fbedcd63f0330080547fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff001660011781557f62e78cea01bee320cd4e420270b5ea74000d11b0c9f74754ebdbfc544b05a25833611886565b7fa16a46d94261c7517cc8ff89f61c0ce93598e3c849801011dee649a6a557d10280546060917fa16a46d94261c7517cc8ff89f61c0ce93598e3c849801011dee649a6a557d1009161094e90613341565b60605f7fa16a46d94261c7517cc8ff89f61c0ce93598e3c849801011dee649a6a557d10061093d565b5f73ffffffffffffffffffffffffffffffffffffffff8316611da5576040517fa79afef900000000000000000000000000000000000000000000000000000000815260040160405180910390fd5b5073ffffffffffffffffffffffffffffffffffffffff82165f9081527fec311ac4f848c221dddf9cd1755a34ac10fa3f3e23a2bf355ae033065914140060208190526040909120548216159081156117285773ffffffffffffffffffffffffffffffffffffffff84165f9081526020829052604090208054841790555092915050565b73ffffffffffffffffffffffffffffffffffffffff8316611e77576040517f96c6fd1e0000000000000000000000000000000000000000000000000000000081525f6004820152602401610ef6565b73ffffffffffffffffffffffffffffffffffffffff8216611ec6576040517fec442f050000000000000000000000000000000000000000000000000000000081525f6004820152602401610ef6565b610ab4838383612692565b5f610912611edd61172f565b836040517f19010000000000000000000000000000000000000000000000000000000000008152600281019290925260228201526042902090565b5f5f5f5f611f28888888886126ac565b925092509250611f38828261279f565b50909695505050505050565b611f4c610c41565b15611a88576040517fd93c066500000000000000000000000000000000000000000000000000000000815260040160405180910390fd5b5f80808080611f956020870187613403565b611fa56040880160208901612f40565b611fb56060890160408a01612f40565b91955093509150506060850135801580611fde57506fffffffffffffffffffffffffffffffff81115b15611fef5750600495945050505050565b5f846002811115612002576120026133bf565b1473ffffffffffffffffffffffffffffffffffffffff8416151461202c5750600495945050505050565b6001846002811115612040576120406133bf565b1473ffffffffffffffffffffffffffffffffffffffff8316151461206a5750600495945050505050565b600184600281111561207e5761207e6133bf565b141580156120d7575060026120d38373ffffffffffffffffffffffffffffffffffffffff165f9081527fec311ac4f848c221dddf9cd1755a34ac10fa3f3e23a2bf355ae0330659141400602052604090205490565b1615155b156120e85750600195945050505050565b5f8460028111156120fb576120fb6133bf565b0361210b57505f95945050505050565b73ffffffffffffffffffffffffffffffffffffffff83165f9081527fec311ac4f848c221dddf9cd1755a34ac10fa3f3e23a2bf355ae033065914140060205260409020546002811615612165575060019695505050505050565b600181165f0361217c575060029695505050505050565b8161218685610c6d565b1015612199575060039695505050505050565b505f9695505050505050565b610ab48383836128a2565b5f807ff0c57e16840df040f15088dc2f81fe391c3923bec73e23a9662efc9c229c6a00610912565b6121e0612a6f565b610b768282612aad565b6121f2612a6f565b610af8816040518060400160405280600181526020017f3100000000000000000000000000000000000000000000000000000000000000815250612b10565b73ffffffffffffffffffffffffffffffffffffffff811661227e576040517fe4fd46b500000000000000000000000000000000000000000000000000000000815260040160405180910390fd5b610ab4828261160a565b7f52c63247e1f47db19d5ce0460030c497f067ca4cebf71ba98eeadabe20bace0073ffffffffffffffffffffffffffffffffffffffff85166122f8576040517fe602df050000000000000000000000000000000000000000000000000000000081525f6004820152602401610ef6565b73ffffffffffffffffffffffffffffffffffffffff8416612347576040517f94280d620000000000000000000000000000000000000000000000000000000081525f6004820152602401610ef6565b73ffffffffffffffffffffffffffffffffffffffff8086165f908152600183016020908152604080832093881683529290522083905581156123eb578373ffffffffffffffffffffffffffffffffffffffff168573ffffffffffffffffffffffffffffffffffffffff167f8c5be1e5ebec7d5bd14f71427d1e84f3dd0314c0f7b2291e5b200ac8c7c3b925856040516123e291815260200190565b60405180910390a35b5050505050565b73ffffffffffffffffffffffffffffffffffffffff8381165f9081527f52c63247e1f47db19d5ce0460030c497f067ca4cebf71ba98eeadabe20bace0160209081526040808320938616835292905220547fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff811015610a4757818110156124cb576040517ffb8f41b200000000000000000000000000000000000000000000000000000000815273ffffffffffffffffffffffffffffffffffffffff841660048201526024810182905260448101839052606401610ef6565b610a4784848484035f612288565b5f8281527f02dd7bc7dec4dceedda775e58dd541e08a116c6c53815c0bd028192f7b6268006020908152604080832073ffffffffffffffffffffffffffffffffffffffff8516845290915290205460ff16610b76576040517fe2517d3f00000000000000000000000000000000000000000000000000000000815273ffffffffffffffffffffffffffffffffffffffff8216600482015260248101839052604401610ef6565b5f7f8b73c3c69bb8fe3d512ecc4cf759cc79239f7b179b0ffacaa9a75d522b39400f6125a9612b73565b6125b1612b88565b60408051602081019490945283019190915260608201524660808201523060a082015260c00160405160208183030381529060405280519060200120905090565b6125fa610c41565b611a88576040517f8dfc202b00000000000000000000000000000000000000000000000000000000815260040160405180910390fd5b61263982612b91565b60405173ffffffffffffffffffffffffffffffffffffffff8316907fbc7cd75a20ee27fd9adebab32041f755214dbc6bffa90cc0225b39da2e5c2d3b905f90a280511561268a57610ab48282612c5f565b610b76612d44565b61269a611f44565b6126a383611585565b6121a582611585565b5f80807f7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a08411156126e557505f91506003905082612795565b604080515f808252602082018084528a905260ff891692820192909252606081018790526080810186905260019060a0016020604051602081039080840390855afa158015612736573d5f5f3e3d5ffd5b50506040517fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe0015191505073ffffffffffffffffffffffffffffffffffffffff811661278c57505f925060019150829050612795565b92505f91508190505b9450945094915050565b5f8260038111156127b2576127b26133bf565b036127bb575050565b60018260038111156127cf576127cf6133bf565b03612806576040517ff645eedf00000000000000000000000000000000000000000000000000000000815260040160405180910390fd5b600282600381111561281a5761281a6133bf565b03612854576040517ffce698f700000000000000000000000000000000000000000000000000000000815260048101829052602401610ef6565b6003826003811115612868576128686133bf565b03610b76576040517fd78bce0c00000000000000000000000000000000000000000000000000000000815260048101829052602401610ef6565b7f52c63247e1f47db19d5ce0460030c497f067ca4cebf71ba98eeadabe20bace0073ffffffffffffffffffffffffffffffffffffffff84166128fc5781816002015f8282546128f19190613421565b909155506129ac9050565b73ffffffffffffffffffffffffffffffffffffffff84165f9081526020829052604090205482811015612981576040517fe450d38c00000000000000000000000000000000000000000000000000000000815273ffffffffffffffffffffffffffffffffffffffff861660048201526024810182905260448101849052606401610ef6565b73ffffffffffffffffffffffffffffffffffffffff85165f9081526020839052604090209083900390555b73ffffffffffffffffffffffffffffffffffffffff83166129d7576002810180548390039055612a02565b73ffffffffffffffffffffffffffffffffffffffff83165f9081526020829052604090208054830190555b8273ffffffffffffffffffffffffffffffffffffffff168473ffffffffffffffffffffffffffffffffffffffff167fddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef84604051612a6191815260200190565b60405180910390a350505050565b612a77612d7c565b611a88576040517fd7e6bcf800000000000000000000000000000000000000000000000000000000815260040160405180910390fd5b612ab5612a6f565b7f52c63247e1f47db19d5ce0460030c497f067ca4cebf71ba98eeadabe20bace007f52c63247e1f47db19d5ce0460030c497f067ca4cebf71ba98eeadabe20bace03612b0184826134af565b5060048101610a4783826134af565b612b18612a6f565b7fa16a46d94261c7517cc8ff89f61c0ce93598e3c849801011dee649a6a557d1007fa16a46d94261c7517cc8ff89f61c0ce93598e3c849801011dee649a6a557d102612b6484826134af565b5060038101610a4783826134af565b5f612b7c611cdd565b80519060200120905090565b5f612b7c611d2e565b8073ffffffffffffffffffffffffffffffffffffffff163b5f03612bf9576040517f4c9c8ce300000000000000000000000000000000000000000000000000000000815273ffffffffffffffffffffffffffffffffffffffff82166004820152602401610ef6565b7f360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc80547fffffffffffffffffffffffff00000000000000000000000000000000000000001673ffffffffffffffffffffffffffffffffffffffff92909216919091179055565b60605f612c6c8484612d9a565b9050808015612c9a57505f3d1180612c9a57505f8473ffffffffffffffffffffffffffffffffffffffff163b115b15612caf57612ca7612dad565b915050610912565b8015612cff576040517f9996b31500000000000000000000000000000000000000000000000000000000815273ffffffffffffffffffffffffffffffffffffffff85166004820152602401610ef6565b3d15612d1257612d0d612dc6565b611728565b6040517fd6bda27500000000000000000000000000000000000000000000000000000000815260040160405180910390fd5b3415611a88576040517fb398979f00000000000000000000000000000000000000000000000000000000815260040160405180910390fd5b5f612d856121b0565b5468010000000000000000900460ff16919050565b5f5f5f835160208501865af49392505050565b6040513d81523d5f602083013e3d602001810160405290565b6040513d5f823e3d81fd5b5f60208284031215612de1575f5ffd5b81357fffffffff0000000000000000000000000000000000000000000000000000000081168114612e10575f5ffd5b9392505050565b5f81518084528060208401602086015e5f6020828601015260207fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe0601f83011685010191505092915050565b602081525f612e106020830184612e17565b803573ffffffffffffffffffffffffffffffffffffffff81168114612e98575f5ffd5b919050565b5f5f60408385031215612eae575f5ffd5b612eb783612e75565b946020939093013593505050565b5f5f5f60608486031215612ed7575f5ffd5b612ee084612e75565b9250612eee60208501612e75565b929592945050506040919091013590565b5f60208284031215612f0f575f5ffd5b5035919050565b5f5f60408385031215612f27575f5ffd5b82359150612f3760208401612e75565b90509250929050565b5f60208284031215612f50575f5ffd5b612e1082612e75565b7f4e487b71000000000000000000000000000000000000000000000000000000005f52604160045260245ffd5b5f5f60408385031215612f97575f5ffd5b612fa083612e75565b9150602083013567ffffffffffffffff811115612fbb575f5ffd5b8301601f81018513612fcb575f5ffd5b803567ffffffffffffffff811115612fe557612fe5612f59565b6040517fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe0603f7fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe0601f8501160116810181811067ffffffffffffffff8211171561305157613051612f59565b604052818152828201602001871015613068575f5ffd5b816020840160208301375f602083830101528093505050509250929050565b7fff000000000000000000000000000000000000000000000000000000000000008816815260e060208201525f6130c160e0830189612e17565b82810360408401526130d38189612e17565b6060840188905273ffffffffffffffffffffffffffffffffffffffff8716608085015260a0840186905283810360c0850152845180825260208087019350909101905f5b81811015613135578351835260209384019390920191600101613117565b50909b9a5050505050505050505050565b5f5f5f5f5f5f5f60e0888a03121561315c575f5ffd5b61316588612e75565b965061317360208901612e75565b95506040880135945060608801359350608088013560ff81168114613196575f5ffd5b9699959850939692959460a0840135945060c09093013592915050565b5f5f602083850312156131c4575f5ffd5b823567ffffffffffffffff8111156131da575f5ffd5b8301601f810185136131ea575f5ffd5b803567ffffffffffffffff811115613200575f5ffd5b8560208260071b8401011115613214575f5ffd5b6020919091019590945092505050565b5f5f60408385031215613235575f5ffd5b61323e83612e75565b9150612f3760208401612e75565b5f5f83601f84011261325c575f5ffd5b50813567ffffffffffffffff811115613273575f5ffd5b60208301915083602082850101111561328a575f5ffd5b9250929050565b5f5f5f5f5f5f5f5f60c0898b0312156132a8575f5ffd5b883567ffffffffffffffff8111156132be575f5ffd5b6132ca8b828c0161324c565b909950975050602089013567ffffffffffffffff8111156132e9575f5ffd5b6132f58b828c0161324c565b9097509550613308905060408a01612e75565b935061331660608a01612e75565b925061332460808a01612e75565b915061333260a08a01612e75565b90509295985092959890939650565b600181811c9082168061335557607f821691505b60208210810361338c577f4e487b71000000000000000000000000000000000000000000000000000000005f52602260045260245ffd5b50919050565b7f4e487b71000000000000000000000000000000000000000000000000000000005f52603260045260245ffd5b7f4e487b71000000000000000000000000000000000000000000000000000000005f52602160045260245ffd5b5f602082840312156133fc575f5ffd5b5051919050565b5f60208284031215613413575f5ffd5b813560038110612e10575f5ffd5b80820180821115610912577f4e487b71000000000000000000000000000000000000000000000000000000005f52601160045260245ffd5b601f821115610ab45782821115610ab457805f5260205f20601f840160051c602085101561348457505f5b90810190601f840160051c035f5b818110156134a7575f83820155600101613492565b505050505050565b815167ffffffffffffffff8111156134c9576134c9612f59565b6134dd816134d78454613341565b84613459565b6020601f82116001811461352e575f83156134f85750848201515b7fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff600385901b1c1916600184901b1784556123eb565b5f848152602081207fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe08516915b8281101561357b578785015182556020948501946001909201910161355b565b50848210156135b757868401517fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff600387901b60f8161c191681555b50505050600190811b0190555056' as const
