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
    "inputs": [
      {
        "internalType": "uint256",
        "name": "count",
        "type": "uint256"
      }
    ],
    "name": "TooManyInstructions",
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
    "name": "MAX_INSTRUCTIONS_PER_CALL",
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
        "components": [
          {
            "internalType": "uint256",
            "name": "successBitmap",
            "type": "uint256"
          },
          {
            "internalType": "uint256",
            "name": "minted",
            "type": "uint256"
          },
          {
            "internalType": "uint256",
            "name": "debited",
            "type": "uint256"
          },
          {
            "internalType": "bytes",
            "name": "reasons",
            "type": "bytes"
          }
        ],
        "internalType": "struct Execution",
        "name": "execution",
        "type": "tuple"
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
  '0x60a080604052346100c257306080525f5160206142d05f395f51905f525460ff8160401c166100b3576002600160401b03196001600160401b03821601610060575b60405161420990816100c78239608051818181611f37015261213e0152f35b6001600160401b0319166001600160401b039081175f5160206142d05f395f51905f525581527fc7f505b2f371ae2175ee4913f4499e1f2633a7b5936321eed1cdaeb6115181d290602090a15f80610041565b63f92ee8a960e01b5f5260045ffd5b5f80fdfe6080806040526004361015610012575f80fd5b5f3560e01c90816301ffc9a714612ca05750806306a85f0f14612c4857806306fdde0314612b47578063095ea7b314612b0357806318160ddd14612aa957806323b872dd14612898578063248a9ca3146128305780632d7df24c146127e85780632f2ff15d1461276d578063313ce567146127345780633644e515146126f457806336568abe1461266c5780633782d9eb146126325780633f4ba83a1461253257806345c8b1a61461241e5780634f1ef286146120c35780635027dbe214611faf57806352d1902d14611ef25780635c975abb14611e9357806370a0823114611e115780637445e85c14611db95780637ecebe0014611d375780638456cb5914611c5857806384b0196e14611b685780638d1fdf2f14611a7457806391d14854146119e057806395d89b4114611888578063a217fddf14611850578063a9059cbb14611801578063ad3cb1cc14611784578063b8bb812614611668578063c80493cf14611610578063d505accf14611442578063d547741f146113c0578063db6ec77914611046578063dd62ed3e14610f95578063e56f2fe4146102fb578063e5839836146102bd578063e63ab1e9146102655763fb1afbd7146101d4575f80fd5b346102615760207ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc3601126102615760206001610255610212612d9f565b73ffffffffffffffffffffffffffffffffffffffff165f527fec311ac4f848c221dddf9cd1755a34ac10fa3f3e23a2bf355ae033065914140060205260405f2090565b54161515604051908152f35b5f80fd5b34610261575f7ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc3601126102615760206040517f65d7a28e3265b37a6474929f336521b332c1681b933f6cb9f3376673440d862a8152f35b346102615760207ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc3601126102615760206002610255610212612d9f565b346102615760c07ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc3601126102615760043567ffffffffffffffff81116102615761034a903690600401612e96565b60243567ffffffffffffffff81116102615761036a903690600401612e96565b90926044359073ffffffffffffffffffffffffffffffffffffffff821691828103610261576064359073ffffffffffffffffffffffffffffffffffffffff821690818303610261576084359473ffffffffffffffffffffffffffffffffffffffff8616948587036102615760a4359873ffffffffffffffffffffffffffffffffffffffff8a1698898b03610261577ff0c57e16840df040f15088dc2f81fe391c3923bec73e23a9662efc9c229c6a005460ff8160401c16159c8d67ffffffffffffffff831680159182610f8d575b506001149081610f83575b159081610f7a575b50610f5257818e60017fffffffffffffffffffffffffffffffffffffffffffffffff00000000000000006104b69516177ff0c57e16840df040f15088dc2f81fe391c3923bec73e23a9662efc9c229c6a0055610efd575b506104ae368587612e60565b923691612e60565b906104bf613ee9565b6104c7613ee9565b80519067ffffffffffffffff8211610a555781906105057f52c63247e1f47db19d5ce0460030c497f067ca4cebf71ba98eeadabe20bace0354612ec4565b601f8111610e68575b50602090601f8311600114610d89575f92610d7e575b50507fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff8260011b9260031b1c1916177f52c63247e1f47db19d5ce0460030c497f067ca4cebf71ba98eeadabe20bace03555b80519067ffffffffffffffff8211610a55576105b27f52c63247e1f47db19d5ce0460030c497f067ca4cebf71ba98eeadabe20bace0454612ec4565b601f8111610cf1575b50602090601f8311600114610c0c57610632949392915f9183610c01575b50507fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff8260011b9260031b1c1916177f52c63247e1f47db19d5ce0460030c497f067ca4cebf71ba98eeadabe20bace04555b3691612e60565b61063a613ee9565b60405190610649604083612de5565b600182527f3100000000000000000000000000000000000000000000000000000000000000602083015261067b613ee9565b80519067ffffffffffffffff8211610a555781906106b97fa16a46d94261c7517cc8ff89f61c0ce93598e3c849801011dee649a6a557d10254612ec4565b601f8111610b6c575b50602090601f8311600114610a8d575f92610a82575b50507fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff8260011b9260031b1c1916177fa16a46d94261c7517cc8ff89f61c0ce93598e3c849801011dee649a6a557d102555b80519067ffffffffffffffff8211610a555781906107687fa16a46d94261c7517cc8ff89f61c0ce93598e3c849801011dee649a6a557d10354612ec4565b601f81116109c0575b50602090601f83116001146108e1575f926108d6575b50507fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff8260011b9260031b1c1916177fa16a46d94261c7517cc8ff89f61c0ce93598e3c849801011dee649a6a557d103555b156108ae576107e7906133e7565b50156108ae576107f6906134ce565b50156108ae57610805906135d2565b50156108ae57610814906136d6565b5061081b57005b7fffffffffffffffffffffffffffffffffffffffffffffff00ffffffffffffffff7ff0c57e16840df040f15088dc2f81fe391c3923bec73e23a9662efc9c229c6a0054167ff0c57e16840df040f15088dc2f81fe391c3923bec73e23a9662efc9c229c6a00557fc7f505b2f371ae2175ee4913f4499e1f2633a7b5936321eed1cdaeb6115181d2602060405160018152a1005b7fe4fd46b5000000000000000000000000000000000000000000000000000000005f5260045ffd5b015190508b80610787565b917fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe016917fa16a46d94261c7517cc8ff89f61c0ce93598e3c849801011dee649a6a557d1035f52815f20925f5b8181106109a85750908460019594939210610971575b505050811b017fa16a46d94261c7517cc8ff89f61c0ce93598e3c849801011dee649a6a557d103556107d9565b01517fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff60f88460031b161c191690558b8080610944565b9293602060018192878601518155019501930161092e565b82811115610771577fa16a46d94261c7517cc8ff89f61c0ce93598e3c849801011dee649a6a557d1035f52909150601f830160051c7f5f9ce34815f8e11431c7bb75a8e6886a91478f7ffc1dbb0a98dc240fddd76b7560208510610a4d575b849392601f0160051c82900391015f5b828110610a3d575050610771565b5f81830155859450600101610a2f565b5f9150610a1f565b7f4e487b71000000000000000000000000000000000000000000000000000000005f52604160045260245ffd5b015190508c806106d8565b917fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe016917fa16a46d94261c7517cc8ff89f61c0ce93598e3c849801011dee649a6a557d1025f52815f20925f5b818110610b545750908460019594939210610b1d575b505050811b017fa16a46d94261c7517cc8ff89f61c0ce93598e3c849801011dee649a6a557d1025561072a565b01517fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff60f88460031b161c191690558c8080610af0565b92936020600181928786015181550195019301610ada565b828111156106c2577fa16a46d94261c7517cc8ff89f61c0ce93598e3c849801011dee649a6a557d1025f52909150601f830160051c7f42ad5d3e1f2e6e70edcf6d991b8a3023d3fca8047a131592f9edb9fd9b89d57d60208510610bf9575b849392601f0160051c82900391015f5b828110610be95750506106c2565b5f81830155859450600101610bdb565b5f9150610bcb565b015190508e806105d9565b907fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe08316917f52c63247e1f47db19d5ce0460030c497f067ca4cebf71ba98eeadabe20bace045f52815f20925f5b818110610cd957509160019391856106329897969410610ca2575b505050811b017f52c63247e1f47db19d5ce0460030c497f067ca4cebf71ba98eeadabe20bace045561062b565b01517fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff60f88460031b161c191690558e8080610c75565b92936020600181928786015181550195019301610c5a565b828111156105bb577f52c63247e1f47db19d5ce0460030c497f067ca4cebf71ba98eeadabe20bace045f52601f830160051c7f46a2803e59a4de4e7a4c574b1243f25977ac4c77d5a1a4a609b5394cebb4a2aa60208510610d76575b81601f9101920160051c03905f5b828110610d695750506105bb565b5f82820155600101610d5b565b5f9150610d4d565b015190508e80610524565b917fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe016917f52c63247e1f47db19d5ce0460030c497f067ca4cebf71ba98eeadabe20bace035f52815f20925f5b818110610e505750908460019594939210610e19575b505050811b017f52c63247e1f47db19d5ce0460030c497f067ca4cebf71ba98eeadabe20bace0355610576565b01517fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff60f88460031b161c191690558e8080610dec565b92936020600181928786015181550195019301610dd6565b8281111561050e577f52c63247e1f47db19d5ce0460030c497f067ca4cebf71ba98eeadabe20bace035f52909150601f830160051c7f2ae08a8e29253f69ac5d979a101956ab8f8d9d7ded63fa7a83b16fc47648eab060208510610ef5575b849392601f0160051c82900391015f5b828110610ee557505061050e565b5f81830155859450600101610ed7565b5f9150610ec7565b7fffffffffffffffffffffffffffffffffffffffffffffff0000000000000000001668010000000000000001177ff0c57e16840df040f15088dc2f81fe391c3923bec73e23a9662efc9c229c6a00558e6104a2565b7ff92ee8a9000000000000000000000000000000000000000000000000000000005f5260045ffd5b9050158f61044b565b303b159150610443565b91508f610438565b346102615760407ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc36011261026157610fcc612d9f565b73ffffffffffffffffffffffffffffffffffffffff611030610fec612dc2565b9273ffffffffffffffffffffffffffffffffffffffff165f527f52c63247e1f47db19d5ce0460030c497f067ca4cebf71ba98eeadabe20bace0160205260405f2090565b91165f52602052602060405f2054604051908152f35b346102615760207ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc3601126102615760043567ffffffffffffffff8111610261573660238201121561026157806004013567ffffffffffffffff8111610261573660248260071b84010111610261576040516080810181811067ffffffffffffffff821117610a55576040525f815260208101905f8252604081015f81526060820194606086527f6666bf5bfee463d10a7fc50448047f8a53b7762d7e28fbc5c643182785f3fd3f5f527f02dd7bc7dec4dceedda775e58dd541e08a116c6c53815c0bd028192f7b62680060205260405f2073ffffffffffffffffffffffffffffffffffffffff33165f5260205260ff60405f2054161561137057611169613aa9565b61010085116113445761117b85612e26565b6111886040519182612de5565b8581527fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe06111b587612e26565b0136602083013786525f5b8581101561130c578060071b8201906024820135916003831015610261576111ea60448201613afc565b9260846111f960648401613afc565b9201359161120983828785613d92565b9460058610156112df5783861592836112ce575b5050501561125e576001809450831b8751178752155f1461124c576112439087516130fb565b86525b016111c0565b6112579085516130fb565b8452611246565b5050875180518210156112a1576020827fff0000000000000000000000000000000000000000000000000000000000000060019560f81b165f1a92010153611246565b7f4e487b71000000000000000000000000000000000000000000000000000000005f52603260045260245ffd5b6112d792614007565b8b838161121d565b7f4e487b71000000000000000000000000000000000000000000000000000000005f52602160045260245ffd5b50508461134091604051948594602086525160208601525160408501525160608401525160808084015260a0830190612d5c565b0390f35b847f49277396000000000000000000000000000000000000000000000000000000005f5260045260245ffd5b7fe2517d3f000000000000000000000000000000000000000000000000000000005f52336004527f6666bf5bfee463d10a7fc50448047f8a53b7762d7e28fbc5c643182785f3fd3f60245260445ffd5b346102615760407ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc360112610261576114406004356113fd612dc2565b9061143b611436825f527f02dd7bc7dec4dceedda775e58dd541e08a116c6c53815c0bd028192f7b626800602052600160405f20015490565b613361565b6138ec565b005b346102615760e07ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc36011261026157611479612d9f565b611481612dc2565b604435906064359260843560ff81168103610261578442116115e4576115a161159873ffffffffffffffffffffffffffffffffffffffff9283851697885f527f5ab42ced628888259c08ac98db1eb0cf702fc1501344311d8b100cd1bfe4bb0060205260405f20908154916001830190556040519060208201927f6e71edae12b1b97f4d1f60370fef10105fa2faae0126114a169c64845d6126c984528b6040840152878a1660608401528a608084015260a083015260c082015260c0815261154b60e082612de5565b519020611556613bd8565b90604051917f190100000000000000000000000000000000000000000000000000000000000083526002830152602282015260c43591604260a4359220613c4d565b90929192613ce7565b168481036115b457506114409350613b1d565b84907f4b800e46000000000000000000000000000000000000000000000000000000005f5260045260245260445ffd5b847f62791302000000000000000000000000000000000000000000000000000000005f5260045260245ffd5b34610261575f7ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc3601126102615760206040517f733bac3dca102687aa08c854c5f9067fc424f98fd8e90e41ad6b73aecc59a4fd8152f35b346102615760207ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc3601126102615773ffffffffffffffffffffffffffffffffffffffff6116b4612d9f565b6116bc6132d9565b16801561175c57805f527fec311ac4f848c221dddf9cd1755a34ac10fa3f3e23a2bf355ae0330659141400602052600160405f2054161580611725575b6116ff57005b7f4d8fdaf4a9ed34f5c4728e4433b01426b7d84e4272a2004d9c5a4be7b8370b835f80a2005b815f527fec311ac4f848c221dddf9cd1755a34ac10fa3f3e23a2bf355ae033065914140060205260405f20600181541790556116f9565b7fa79afef9000000000000000000000000000000000000000000000000000000005f5260045ffd5b34610261575f7ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc360112610261576113406040516117c3604082612de5565b600581527f352e302e300000000000000000000000000000000000000000000000000000006020820152604051918291602083526020830190612d5c565b346102615760407ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc3601126102615761184561183b612d9f565b60243590336139f4565b602060405160018152f35b34610261575f7ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc3601126102615760206040515f8152f35b34610261575f7ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc360112610261576040515f7f52c63247e1f47db19d5ce0460030c497f067ca4cebf71ba98eeadabe20bace04546118e581612ec4565b808452906001811690811561199e5750600114611921575b6113408361190d81850382612de5565b604051918291602083526020830190612d5c565b7f52c63247e1f47db19d5ce0460030c497f067ca4cebf71ba98eeadabe20bace045f9081527f46a2803e59a4de4e7a4c574b1243f25977ac4c77d5a1a4a609b5394cebb4a2aa939250905b8082106119845750909150810160200161190d6118fd565b91926001816020925483858801015201910190929161196c565b7fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff001660208086019190915291151560051b8401909101915061190d90506118fd565b346102615760407ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc36011261026157611a17612dc2565b6004355f527f02dd7bc7dec4dceedda775e58dd541e08a116c6c53815c0bd028192f7b62680060205273ffffffffffffffffffffffffffffffffffffffff60405f2091165f52602052602060ff60405f2054166040519015158152f35b346102615760207ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc3601126102615773ffffffffffffffffffffffffffffffffffffffff611ac0612d9f565b611ac8613251565b16801561175c57805f527fec311ac4f848c221dddf9cd1755a34ac10fa3f3e23a2bf355ae0330659141400602052600260405f2054161580611b31575b611b0b57005b7fc9710d20bdbf99ca92a03644a5a8f85ea6badb387ff0abca08eebdfbff50b77f5f80a2005b815f527fec311ac4f848c221dddf9cd1755a34ac10fa3f3e23a2bf355ae033065914140060205260405f2060028154179055611b05565b34610261575f7ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc36011261026157611bfc611ba1612f15565b611ba9613028565b6020611c0a60405192611bbc8385612de5565b5f84525f3681376040519586957f0f00000000000000000000000000000000000000000000000000000000000000875260e08588015260e0870190612d5c565b908582036040870152612d5c565b4660608501523060808501525f60a085015283810360c08501528180845192838152019301915f5b828110611c4157505050500390f35b835185528695509381019392810192600101611c32565b34610261575f7ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc36011261026157611c8e6131c9565b7fcd5ed15c6e187e77e9aee88184c21f4f2182ab5827cb3b7e07fbedcd63f033005460ff811615611cbb57005b7fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff00600191611ce7613aa9565b16177fcd5ed15c6e187e77e9aee88184c21f4f2182ab5827cb3b7e07fbedcd63f03300557f62e78cea01bee320cd4e420270b5ea74000d11b0c9f74754ebdbfc544b05a2586020604051338152a1005b346102615760207ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc3601126102615773ffffffffffffffffffffffffffffffffffffffff611d83612d9f565b165f527f5ab42ced628888259c08ac98db1eb0cf702fc1501344311d8b100cd1bfe4bb00602052602060405f2054604051908152f35b34610261575f7ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc3601126102615760206040517f6666bf5bfee463d10a7fc50448047f8a53b7762d7e28fbc5c643182785f3fd3f8152f35b346102615760207ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc3601126102615773ffffffffffffffffffffffffffffffffffffffff611e5d612d9f565b165f527f52c63247e1f47db19d5ce0460030c497f067ca4cebf71ba98eeadabe20bace00602052602060405f2054604051908152f35b34610261575f7ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc36011261026157602060ff7fcd5ed15c6e187e77e9aee88184c21f4f2182ab5827cb3b7e07fbedcd63f0330054166040519015158152f35b34610261575f7ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc3601126102615773ffffffffffffffffffffffffffffffffffffffff7f0000000000000000000000000000000000000000000000000000000000000000163003611f875760206040517f360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc8152f35b7fe07c8dba000000000000000000000000000000000000000000000000000000005f5260045ffd5b346102615760207ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc3601126102615773ffffffffffffffffffffffffffffffffffffffff611ffb612d9f565b6120036132d9565b16801561175c57805f527fec311ac4f848c221dddf9cd1755a34ac10fa3f3e23a2bf355ae0330659141400602052600160405f20541615158061206d575b61204757005b7f7d961c60ec9f47d076e48ea95a044038b43ed07c7d0d58f62c8974ad03f645295f80a2005b815f527fec311ac4f848c221dddf9cd1755a34ac10fa3f3e23a2bf355ae033065914140060205260405f207ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe8154169055612041565b60407ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc360112610261576120f5612d9f565b60243567ffffffffffffffff8111610261573660238201121561026157612126903690602481600401359101612e60565b9073ffffffffffffffffffffffffffffffffffffffff7f0000000000000000000000000000000000000000000000000000000000000000168030149081156123dc575b50611f8757335f9081527fb7db2dd08fcb62d0c9e08c51941cae53c267786a0b75803fb7960902fc8ef97d602052604090205460ff16156123ac5773ffffffffffffffffffffffffffffffffffffffff8116916040517f52d1902d000000000000000000000000000000000000000000000000000000008152602081600481875afa5f9181612378575b5061222457837f4c9c8ce3000000000000000000000000000000000000000000000000000000005f5260045260245ffd5b807f360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc85920361234d5750823b1561232257807fffffffffffffffffffffffff00000000000000000000000000000000000000007f360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc5416177f360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc557fbc7cd75a20ee27fd9adebab32041f755214dbc6bffa90cc0225b39da2e5c2d3b5f80a28051156122f15761144091613f40565b5050346122fa57005b7fb398979f000000000000000000000000000000000000000000000000000000005f5260045ffd5b7f4c9c8ce3000000000000000000000000000000000000000000000000000000005f5260045260245ffd5b7faa1d49a4000000000000000000000000000000000000000000000000000000005f5260045260245ffd5b9091506020813d6020116123a4575b8161239460209383612de5565b81010312610261575190856121f3565b3d9150612387565b7fe2517d3f000000000000000000000000000000000000000000000000000000005f52336004525f60245260445ffd5b905073ffffffffffffffffffffffffffffffffffffffff7f360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc5416141583612169565b346102615760207ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc3601126102615773ffffffffffffffffffffffffffffffffffffffff61246a612d9f565b612472613251565b16801561175c57805f527fec311ac4f848c221dddf9cd1755a34ac10fa3f3e23a2bf355ae0330659141400602052600260405f2054161515806124dc575b6124b657005b7fd247131fabb99dc3ba793524f53f05a77eeef38f12b30119655ee340810b12105f80a2005b815f527fec311ac4f848c221dddf9cd1755a34ac10fa3f3e23a2bf355ae033065914140060205260405f207ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffd81541690556124b0565b34610261575f7ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc360112610261576125686131c9565b7fcd5ed15c6e187e77e9aee88184c21f4f2182ab5827cb3b7e07fbedcd63f033005460ff81168061259557005b1561260a577fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff00167fcd5ed15c6e187e77e9aee88184c21f4f2182ab5827cb3b7e07fbedcd63f03300557f5db9ee0a495bf2e6ff9c91a7834c1ba4fdd244a5e8aa4e537bd38aeae4b073aa6020604051338152a1005b7f8dfc202b000000000000000000000000000000000000000000000000000000005f5260045ffd5b34610261575f7ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc3601126102615760206040516101008152f35b346102615760407ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc360112610261576126a3612dc2565b3373ffffffffffffffffffffffffffffffffffffffff8216036126cc57611440906004356138ec565b7f6697b232000000000000000000000000000000000000000000000000000000005f5260045ffd5b34610261575f7ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc36011261026157602061272c613bd8565b604051908152f35b34610261575f7ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc36011261026157602060405160068152f35b346102615760407ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc360112610261576114406004356127aa612dc2565b906127e3611436825f527f02dd7bc7dec4dceedda775e58dd541e08a116c6c53815c0bd028192f7b626800602052600160405f20015490565b6137da565b34610261575f7ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc3601126102615760206040516fffffffffffffffffffffffffffffffff8152f35b346102615760207ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc36011261026157602061272c6004355f527f02dd7bc7dec4dceedda775e58dd541e08a116c6c53815c0bd028192f7b626800602052600160405f20015490565b346102615760607ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc360112610261576128cf612d9f565b6128d7612dc2565b604435906128e433613135565b61292b8373ffffffffffffffffffffffffffffffffffffffff165f527f52c63247e1f47db19d5ce0460030c497f067ca4cebf71ba98eeadabe20bace0160205260405f2090565b73ffffffffffffffffffffffffffffffffffffffff33165f5260205260405f2054927fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff841061297f575b61184593506139f4565b828410612a755773ffffffffffffffffffffffffffffffffffffffff811615612a49573315612a1d57611845936129f38273ffffffffffffffffffffffffffffffffffffffff165f527f52c63247e1f47db19d5ce0460030c497f067ca4cebf71ba98eeadabe20bace0160205260405f2090565b73ffffffffffffffffffffffffffffffffffffffff33165f526020528360405f2091039055612975565b7f94280d62000000000000000000000000000000000000000000000000000000005f525f60045260245ffd5b7fe602df05000000000000000000000000000000000000000000000000000000005f525f60045260245ffd5b82847ffb8f41b2000000000000000000000000000000000000000000000000000000005f523360045260245260445260645ffd5b34610261575f7ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc3601126102615760207f52c63247e1f47db19d5ce0460030c497f067ca4cebf71ba98eeadabe20bace0254604051908152f35b346102615760407ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc36011261026157611845612b3d612d9f565b6024359033613b1d565b34610261575f7ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc360112610261576040515f7f52c63247e1f47db19d5ce0460030c497f067ca4cebf71ba98eeadabe20bace0354612ba481612ec4565b808452906001811690811561199e5750600114612bcb576113408361190d81850382612de5565b7f52c63247e1f47db19d5ce0460030c497f067ca4cebf71ba98eeadabe20bace035f9081527f2ae08a8e29253f69ac5d979a101956ab8f8d9d7ded63fa7a83b16fc47648eab0939250905b808210612c2e5750909150810160200161190d6118fd565b919260018160209254838588010152019101909291612c16565b34610261575f7ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc3601126102615760206040517f92de27771f92d6942691d73358b3a4673e4880de8356f8f2cf452be87e02d3638152f35b346102615760207ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffc36011261026157600435907fffffffff00000000000000000000000000000000000000000000000000000000821680920361026157817f7965db0b0000000000000000000000000000000000000000000000000000000060209314908115612d32575b5015158152f35b7f01ffc9a70000000000000000000000000000000000000000000000000000000091501483612d2b565b907fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe0601f602080948051918291828752018686015e5f8582860101520116010190565b6004359073ffffffffffffffffffffffffffffffffffffffff8216820361026157565b6024359073ffffffffffffffffffffffffffffffffffffffff8216820361026157565b90601f7fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe0910116810190811067ffffffffffffffff821117610a5557604052565b67ffffffffffffffff8111610a5557601f017fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe01660200190565b929192612e6c82612e26565b91612e7a6040519384612de5565b829481845281830111610261578281602093845f960137010152565b9181601f840112156102615782359167ffffffffffffffff8311610261576020838186019501011161026157565b90600182811c92168015612f0b575b6020831014612ede57565b7f4e487b71000000000000000000000000000000000000000000000000000000005f52602260045260245ffd5b91607f1691612ed3565b604051905f827fa16a46d94261c7517cc8ff89f61c0ce93598e3c849801011dee649a6a557d1025491612f4783612ec4565b8083529260018116908115612feb5750600114612f6d575b612f6b92500383612de5565b565b507fa16a46d94261c7517cc8ff89f61c0ce93598e3c849801011dee649a6a557d1025f90815290917f42ad5d3e1f2e6e70edcf6d991b8a3023d3fca8047a131592f9edb9fd9b89d57d5b818310612fcf575050906020612f6b92820101612f5f565b6020919350806001915483858901015201910190918492612fb7565b60209250612f6b9491507fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff001682840152151560051b820101612f5f565b604051905f827fa16a46d94261c7517cc8ff89f61c0ce93598e3c849801011dee649a6a557d103549161305a83612ec4565b8083529260018116908115612feb575060011461307d57612f6b92500383612de5565b507fa16a46d94261c7517cc8ff89f61c0ce93598e3c849801011dee649a6a557d1035f90815290917f5f9ce34815f8e11431c7bb75a8e6886a91478f7ffc1dbb0a98dc240fddd76b755b8183106130df575050906020612f6b92820101612f5f565b60209193508060019154838589010152019101909184926130c7565b9190820180921161310857565b7f4e487b71000000000000000000000000000000000000000000000000000000005f52601160045260245ffd5b600261317e8273ffffffffffffffffffffffffffffffffffffffff165f527fec311ac4f848c221dddf9cd1755a34ac10fa3f3e23a2bf355ae033065914140060205260405f2090565b54166131875750565b73ffffffffffffffffffffffffffffffffffffffff907f5fba1a54000000000000000000000000000000000000000000000000000000005f521660045260245ffd5b335f9081527f75442b0a96088b5456bc4ed01394c96a4feec0f883c9494257d76b96ab1c9b6b602052604090205460ff161561320157565b7fe2517d3f000000000000000000000000000000000000000000000000000000005f52336004527f65d7a28e3265b37a6474929f336521b332c1681b933f6cb9f3376673440d862a60245260445ffd5b335f9081527f11f2c28990afe308f25e3b97df7788865d3cc770b6e5ca1f1d5a2fd82760d867602052604090205460ff161561328957565b7fe2517d3f000000000000000000000000000000000000000000000000000000005f52336004527f92de27771f92d6942691d73358b3a4673e4880de8356f8f2cf452be87e02d36360245260445ffd5b335f9081527fd44a0d2099ad7d3a533e56e7ef83de2cd2546d692152b02f67f56eddc7787ef3602052604090205460ff161561331157565b7fe2517d3f000000000000000000000000000000000000000000000000000000005f52336004527f733bac3dca102687aa08c854c5f9067fc424f98fd8e90e41ad6b73aecc59a4fd60245260445ffd5b805f527f02dd7bc7dec4dceedda775e58dd541e08a116c6c53815c0bd028192f7b62680060205260405f2073ffffffffffffffffffffffffffffffffffffffff33165f5260205260ff60405f205416156133b85750565b7fe2517d3f000000000000000000000000000000000000000000000000000000005f523360045260245260445ffd5b73ffffffffffffffffffffffffffffffffffffffff81165f9081527fb7db2dd08fcb62d0c9e08c51941cae53c267786a0b75803fb7960902fc8ef97d602052604090205460ff166134c95773ffffffffffffffffffffffffffffffffffffffff165f8181527fb7db2dd08fcb62d0c9e08c51941cae53c267786a0b75803fb7960902fc8ef97d6020526040812080547fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff001660011790553391907f2f8788117e7eff1d82e926ec794901d17c78024a50270940304540a733656f0d8180a4600190565b505f90565b73ffffffffffffffffffffffffffffffffffffffff81165f9081527f75442b0a96088b5456bc4ed01394c96a4feec0f883c9494257d76b96ab1c9b6b602052604090205460ff166134c95773ffffffffffffffffffffffffffffffffffffffff165f8181527f75442b0a96088b5456bc4ed01394c96a4feec0f883c9494257d76b96ab1c9b6b6020526040812080547fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff001660011790553391907f65d7a28e3265b37a6474929f336521b332c1681b933f6cb9f3376673440d862a907f2f8788117e7eff1d82e926ec794901d17c78024a50270940304540a733656f0d9080a4600190565b73ffffffffffffffffffffffffffffffffffffffff81165f9081527f11f2c28990afe308f25e3b97df7788865d3cc770b6e5ca1f1d5a2fd82760d867602052604090205460ff166134c95773ffffffffffffffffffffffffffffffffffffffff165f8181527f11f2c28990afe308f25e3b97df7788865d3cc770b6e5ca1f1d5a2fd82760d8676020526040812080547fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff001660011790553391907f92de27771f92d6942691d73358b3a4673e4880de8356f8f2cf452be87e02d363907f2f8788117e7eff1d82e926ec794901d17c78024a50270940304540a733656f0d9080a4600190565b73ffffffffffffffffffffffffffffffffffffffff81165f9081527fd44a0d2099ad7d3a533e56e7ef83de2cd2546d692152b02f67f56eddc7787ef3602052604090205460ff166134c95773ffffffffffffffffffffffffffffffffffffffff165f8181527fd44a0d2099ad7d3a533e56e7ef83de2cd2546d692152b02f67f56eddc7787ef36020526040812080547fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff001660011790553391907f733bac3dca102687aa08c854c5f9067fc424f98fd8e90e41ad6b73aecc59a4fd907f2f8788117e7eff1d82e926ec794901d17c78024a50270940304540a733656f0d9080a4600190565b805f527f02dd7bc7dec4dceedda775e58dd541e08a116c6c53815c0bd028192f7b62680060205260405f2073ffffffffffffffffffffffffffffffffffffffff83165f5260205260ff60405f205416155f146138e657805f527f02dd7bc7dec4dceedda775e58dd541e08a116c6c53815c0bd028192f7b62680060205260405f2073ffffffffffffffffffffffffffffffffffffffff83165f5260205260405f2060017fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff0082541617905573ffffffffffffffffffffffffffffffffffffffff339216907f2f8788117e7eff1d82e926ec794901d17c78024a50270940304540a733656f0d5f80a4600190565b50505f90565b805f527f02dd7bc7dec4dceedda775e58dd541e08a116c6c53815c0bd028192f7b62680060205260405f2073ffffffffffffffffffffffffffffffffffffffff83165f5260205260ff60405f2054165f146138e657805f527f02dd7bc7dec4dceedda775e58dd541e08a116c6c53815c0bd028192f7b62680060205260405f2073ffffffffffffffffffffffffffffffffffffffff83165f5260205260405f207fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff00815416905573ffffffffffffffffffffffffffffffffffffffff339216907ff6391f5c32d9c69d2a47ea670b442974b53935d1edc7fd64eb21e047a839171b5f80a4600190565b919073ffffffffffffffffffffffffffffffffffffffff831615613a7d5773ffffffffffffffffffffffffffffffffffffffff811615613a5157612f6b92613a3a613aa9565b613a4381613135565b613a4c82613135565b614007565b7fec442f05000000000000000000000000000000000000000000000000000000005f525f60045260245ffd5b7f96c6fd1e000000000000000000000000000000000000000000000000000000005f525f60045260245ffd5b60ff7fcd5ed15c6e187e77e9aee88184c21f4f2182ab5827cb3b7e07fbedcd63f033005416613ad457565b7fd93c0665000000000000000000000000000000000000000000000000000000005f5260045ffd5b3573ffffffffffffffffffffffffffffffffffffffff811681036102615790565b9173ffffffffffffffffffffffffffffffffffffffff8316918215612a495773ffffffffffffffffffffffffffffffffffffffff16928315612a1d577f8c5be1e5ebec7d5bd14f71427d1e84f3dd0314c0f7b2291e5b200ac8c7c3b92591613bc460209273ffffffffffffffffffffffffffffffffffffffff165f527f52c63247e1f47db19d5ce0460030c497f067ca4cebf71ba98eeadabe20bace0160205260405f2090565b855f5282528060405f2055604051908152a3565b613be0612f15565b60208151910120613bef613028565b602081519101206040519060208201927f8b73c3c69bb8fe3d512ecc4cf759cc79239f7b179b0ffacaa9a75d522b39400f8452604083015260608201524660808201523060a082015260a08152613c4760c082612de5565b51902090565b91907f7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a08411613cdc579160209360809260ff5f9560405194855216868401526040830152606082015282805260015afa15613cd1575f5173ffffffffffffffffffffffffffffffffffffffff811615613cc757905f905f90565b505f906001905f90565b6040513d5f823e3d90fd5b5050505f9160039190565b60048110156112df5780613cf9575050565b60018103613d29577ff645eedf000000000000000000000000000000000000000000000000000000005f5260045ffd5b60028103613d5d57507ffce698f7000000000000000000000000000000000000000000000000000000005f5260045260245ffd5b600314613d675750565b7fd78bce0c000000000000000000000000000000000000000000000000000000005f5260045260245ffd5b919083158015613ed0575b613ec75773ffffffffffffffffffffffffffffffffffffffff169160038110156112df5780159182841503613ebd5773ffffffffffffffffffffffffffffffffffffffff60019116911490811591811503613ebd5781613e85575b50613e7d576138e657805f527fec311ac4f848c221dddf9cd1755a34ac10fa3f3e23a2bf355ae033065914140060205260405f205460028116613e7d5760011615613e76575f527f52c63247e1f47db19d5ce0460030c497f067ca4cebf71ba98eeadabe20bace0060205260405f205410613e71575f90565b600390565b5050600290565b505050600190565b90505f527fec311ac4f848c221dddf9cd1755a34ac10fa3f3e23a2bf355ae0330659141400602052600260405f20541615155f613df8565b5050505050600490565b50505050600490565b506fffffffffffffffffffffffffffffffff8411613d9d565b60ff7ff0c57e16840df040f15088dc2f81fe391c3923bec73e23a9662efc9c229c6a005460401c1615613f1857565b7fd7e6bcf8000000000000000000000000000000000000000000000000000000005f5260045ffd5b905f8091602081519101845af48080613ff4575b15613f745750506040513d81523d5f602083013e60203d82010160405290565b15613fbb5773ffffffffffffffffffffffffffffffffffffffff907f9996b315000000000000000000000000000000000000000000000000000000005f521660045260245ffd5b3d15613fcc576040513d5f823e3d90fd5b7fd6bda275000000000000000000000000000000000000000000000000000000005f5260045ffd5b503d151580613f545750813b1515613f54565b73ffffffffffffffffffffffffffffffffffffffff16908161413657602073ffffffffffffffffffffffffffffffffffffffff7fddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef92614087867f52c63247e1f47db19d5ce0460030c497f067ca4cebf71ba98eeadabe20bace02546130fb565b7f52c63247e1f47db19d5ce0460030c497f067ca4cebf71ba98eeadabe20bace02555b16938461410157807f52c63247e1f47db19d5ce0460030c497f067ca4cebf71ba98eeadabe20bace0254037f52c63247e1f47db19d5ce0460030c497f067ca4cebf71ba98eeadabe20bace02555b604051908152a3565b845f527f52c63247e1f47db19d5ce0460030c497f067ca4cebf71ba98eeadabe20bace00825260405f208181540190556140f8565b815f527f52c63247e1f47db19d5ce0460030c497f067ca4cebf71ba98eeadabe20bace0060205260405f20548381106141d55773ffffffffffffffffffffffffffffffffffffffff7fddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef9285602093865f527f52c63247e1f47db19d5ce0460030c497f067ca4cebf71ba98eeadabe20bace0085520360405f20556140aa565b9190507fe450d38c000000000000000000000000000000000000000000000000000000005f5260045260245260445260645ffdf0c57e16840df040f15088dc2f81fe391c3923bec73e23a9662efc9c229c6a00' as const
