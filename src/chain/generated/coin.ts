// Generated from contracts/src/Coin.sol by contracts/tools/generate.ts. Do not edit.

/** The ABI of contracts/src/Coin.sol. */
export const coinAbi = [
  {
    "inputs": [],
    "name": "AccessControlBadConfirmation",
    "type": "error"
  },
  {
    "inputs": [
      {
        "internalType": "uint48",
        "name": "schedule",
        "type": "uint48"
      }
    ],
    "name": "AccessControlEnforcedDefaultAdminDelay",
    "type": "error"
  },
  {
    "inputs": [],
    "name": "AccessControlEnforcedDefaultAdminRules",
    "type": "error"
  },
  {
    "inputs": [
      {
        "internalType": "address",
        "name": "defaultAdmin",
        "type": "address"
      }
    ],
    "name": "AccessControlInvalidDefaultAdmin",
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
        "name": "deadline",
        "type": "uint256"
      }
    ],
    "name": "ConsentExpired",
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
    "inputs": [
      {
        "internalType": "address",
        "name": "wallet",
        "type": "address"
      },
      {
        "internalType": "bytes32",
        "name": "account",
        "type": "bytes32"
      }
    ],
    "name": "InvalidConsent",
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
        "name": "offset",
        "type": "uint256"
      }
    ],
    "name": "MalformedInstruction",
    "type": "error"
  },
  {
    "inputs": [],
    "name": "NoInstructions",
    "type": "error"
  },
  {
    "inputs": [],
    "name": "NoSeizureAddress",
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
    "name": "NotAWallet",
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
    "name": "NotFrozen",
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
    "inputs": [
      {
        "internalType": "address",
        "name": "token",
        "type": "address"
      }
    ],
    "name": "SafeERC20FailedOperation",
    "type": "error"
  },
  {
    "inputs": [],
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
    "name": "ZeroAddress",
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
    "name": "DefaultAdminDelayChangeCanceled",
    "type": "event"
  },
  {
    "anonymous": false,
    "inputs": [
      {
        "indexed": false,
        "internalType": "uint48",
        "name": "newDelay",
        "type": "uint48"
      },
      {
        "indexed": false,
        "internalType": "uint48",
        "name": "effectSchedule",
        "type": "uint48"
      }
    ],
    "name": "DefaultAdminDelayChangeScheduled",
    "type": "event"
  },
  {
    "anonymous": false,
    "inputs": [],
    "name": "DefaultAdminTransferCanceled",
    "type": "event"
  },
  {
    "anonymous": false,
    "inputs": [
      {
        "indexed": true,
        "internalType": "address",
        "name": "newAdmin",
        "type": "address"
      },
      {
        "indexed": false,
        "internalType": "uint48",
        "name": "acceptSchedule",
        "type": "uint48"
      }
    ],
    "name": "DefaultAdminTransferScheduled",
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
        "indexed": true,
        "internalType": "address",
        "name": "wallet",
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
        "name": "amount",
        "type": "uint256"
      }
    ],
    "name": "FundsSeized",
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
        "name": "seizureAddress",
        "type": "address"
      }
    ],
    "name": "SeizureAddressSet",
    "type": "event"
  },
  {
    "anonymous": false,
    "inputs": [
      {
        "indexed": true,
        "internalType": "address",
        "name": "token",
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
        "name": "amount",
        "type": "uint256"
      }
    ],
    "name": "TokenRescued",
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
      },
      {
        "indexed": true,
        "internalType": "bytes32",
        "name": "account",
        "type": "bytes32"
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
      },
      {
        "indexed": true,
        "internalType": "bytes32",
        "name": "account",
        "type": "bytes32"
      }
    ],
    "name": "WalletUnlinked",
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
    "name": "WalletUnlinkedFromAll",
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
    "name": "LINK_TYPEHASH",
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
    "name": "PERMIT_TYPEHASH",
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
    "name": "UNPAUSER_ROLE",
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
    "name": "acceptDefaultAdminTransfer",
    "outputs": [],
    "stateMutability": "nonpayable",
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
        "name": "wallet",
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
    "inputs": [
      {
        "internalType": "address",
        "name": "newAdmin",
        "type": "address"
      }
    ],
    "name": "beginDefaultAdminTransfer",
    "outputs": [],
    "stateMutability": "nonpayable",
    "type": "function"
  },
  {
    "inputs": [],
    "name": "cancelDefaultAdminTransfer",
    "outputs": [],
    "stateMutability": "nonpayable",
    "type": "function"
  },
  {
    "inputs": [
      {
        "internalType": "uint48",
        "name": "newDelay",
        "type": "uint48"
      }
    ],
    "name": "changeDefaultAdminDelay",
    "outputs": [],
    "stateMutability": "nonpayable",
    "type": "function"
  },
  {
    "inputs": [],
    "name": "consentRequired",
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
    "name": "defaultAdmin",
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
    "name": "defaultAdminDelay",
    "outputs": [
      {
        "internalType": "uint48",
        "name": "",
        "type": "uint48"
      }
    ],
    "stateMutability": "view",
    "type": "function"
  },
  {
    "inputs": [],
    "name": "defaultAdminDelayIncreaseWait",
    "outputs": [
      {
        "internalType": "uint48",
        "name": "",
        "type": "uint48"
      }
    ],
    "stateMutability": "view",
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
        "internalType": "bytes",
        "name": "instructions",
        "type": "bytes"
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
            "internalType": "uint256[3]",
            "name": "sums",
            "type": "uint256[3]"
          },
          {
            "internalType": "bytes",
            "name": "failures",
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
        "internalType": "uint256",
        "name": "index",
        "type": "uint256"
      }
    ],
    "name": "getRoleMember",
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
    "inputs": [
      {
        "internalType": "bytes32",
        "name": "role",
        "type": "bytes32"
      }
    ],
    "name": "getRoleMemberCount",
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
      }
    ],
    "name": "getRoleMembers",
    "outputs": [
      {
        "internalType": "address[]",
        "name": "",
        "type": "address[]"
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
        "components": [
          {
            "internalType": "string",
            "name": "name",
            "type": "string"
          },
          {
            "internalType": "string",
            "name": "symbol",
            "type": "string"
          },
          {
            "internalType": "address",
            "name": "admin",
            "type": "address"
          },
          {
            "internalType": "address",
            "name": "settler",
            "type": "address"
          },
          {
            "internalType": "address[]",
            "name": "linkers",
            "type": "address[]"
          },
          {
            "internalType": "address[]",
            "name": "freezers",
            "type": "address[]"
          },
          {
            "internalType": "address[]",
            "name": "pausers",
            "type": "address[]"
          },
          {
            "internalType": "address[]",
            "name": "unpausers",
            "type": "address[]"
          },
          {
            "internalType": "address",
            "name": "seizureAddress",
            "type": "address"
          },
          {
            "internalType": "bool",
            "name": "consentWaived",
            "type": "bool"
          }
        ],
        "internalType": "struct Coin.Beginning",
        "name": "beginning",
        "type": "tuple"
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
      },
      {
        "internalType": "bytes32",
        "name": "account",
        "type": "bytes32"
      }
    ],
    "name": "isLinkedTo",
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
    "name": "linkNonce",
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
        "name": "wallet",
        "type": "address"
      },
      {
        "internalType": "bytes32",
        "name": "account",
        "type": "bytes32"
      },
      {
        "internalType": "uint256",
        "name": "deadline",
        "type": "uint256"
      },
      {
        "internalType": "bytes",
        "name": "consent",
        "type": "bytes"
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
    "name": "owner",
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
    "inputs": [],
    "name": "pendingDefaultAdmin",
    "outputs": [
      {
        "internalType": "address",
        "name": "newAdmin",
        "type": "address"
      },
      {
        "internalType": "uint48",
        "name": "schedule",
        "type": "uint48"
      }
    ],
    "stateMutability": "view",
    "type": "function"
  },
  {
    "inputs": [],
    "name": "pendingDefaultAdminDelay",
    "outputs": [
      {
        "internalType": "uint48",
        "name": "newDelay",
        "type": "uint48"
      },
      {
        "internalType": "uint48",
        "name": "schedule",
        "type": "uint48"
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
        "internalType": "bytes",
        "name": "signature",
        "type": "bytes"
      }
    ],
    "name": "permit",
    "outputs": [],
    "stateMutability": "nonpayable",
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
        "name": "account",
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
        "internalType": "contract IERC20",
        "name": "token",
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
    "name": "rescueToken",
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
    "inputs": [],
    "name": "rollbackDefaultAdminDelay",
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
      },
      {
        "internalType": "uint256",
        "name": "amount",
        "type": "uint256"
      }
    ],
    "name": "seize",
    "outputs": [],
    "stateMutability": "nonpayable",
    "type": "function"
  },
  {
    "inputs": [],
    "name": "seizureAddress",
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
    "inputs": [
      {
        "internalType": "address",
        "name": "to",
        "type": "address"
      }
    ],
    "name": "setSeizureAddress",
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
    "inputs": [],
    "name": "unlinkSelf",
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
      },
      {
        "internalType": "bytes32",
        "name": "account",
        "type": "bytes32"
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
  '0x60a080604052346100c257306080525f51602061533a5f395f51905f525460ff8160401c166100b3576002600160401b03196001600160401b03821601610060575b60405161527390816100c7823960805181818161177001526118100152f35b6001600160401b0319166001600160401b039081175f51602061533a5f395f51905f525581527fc7f505b2f371ae2175ee4913f4499e1f2633a7b5936321eed1cdaeb6115181d290602090a15f80610041565b63f92ee8a960e01b5f5260045ffd5b5f80fdfe6080806040526004361015610012575f80fd5b5f905f3560e01c90816301ffc9a7146133f457508063022d63fb146133d75780630392d9c71461330c57806306a85f0f146132d257806306fdde03146131ca578063095ea7b3146131a457806309c5eabe14612f165780630aa6220b14612e5857806318160ddd14612e1c5780632378fcc21461210257806323b872dd14611f33578063248a9ca314611efc57806328ebd49314611e9b5780632f2ff15d14611e3c57806330adf81f14611e02578063313ce56714611de7578063343c0b7b14611da75780633644e51514611d8557806336568abe14611c335780633f4ba83a14611b0a57806345c8b1a614611a655780634720b44814611a495780634f1ef286146117cf57806352d1902d146117555780635752fdd2146117015780635c975abb146116bf578063612d5c4514611679578063634e93da1461155e578063649a5ec71461133d5780636e3737c11461131757806370a08231146112dd5780637445e85c146112a25780637ecebe001461124b5780638456cb591461112157806384b0196e1461104b57806384ef8ffc14610f6c5780638d1fdf2f14610f715780638da5cb5b14610f6c5780639010d07c14610f0857806391d1485414610eb157806395d89b4114610d905780639fd5a6cf14610d3b578063a1eda53c14610ccc578063a217fddf14610cb0578063a3246ad314610be1578063a9059cbb14610baf578063ad3cb1cc14610b4a578063c80493cf14610b0f578063ca15c87314610ac6578063cc8463c814610a9b578063cefc1429146109b4578063cf6eefb714610955578063d505accf146108c3578063d547741f146107eb578063d602b9fd1461077b578063da71de501461074e578063dd62ed3e146106d4578063ddbc4a4b14610699578063e5711e8b1461058b578063e583983614610567578063e63ab1e91461052c578063eb62b144146104aa578063eb9253c014610379578063fb1afbd7146103265763fb1bb9de146102e9575f80fd5b3461032357806003193601126103235760206040517f427da25fe773164f88948d3e215c94b6554e2ed5e5f203a821c9f2f6131cf75a8152f35b80fd5b5034610323576020366003190112610323576020600160fe1b61036d61034a61351c565b6001600160a01b03165f525f5160206151f35f395f51905f5260205260405f2090565b54161515604051908152f35b50346103235760403660031901126103235761039361351c565b60243561039e613f6c565b6103a66140e6565b6001600160a01b037fdf70978560cb796de18a1cd894074aebff888eb4ac2eca6beee81e12d4d3e700541691821561048257600160ff1b610404826001600160a01b03165f525f5160206151f35f395f51905f5260205260405f2090565b54161561044e5760206001600160a01b038261044285877ff7ba89b06ba018383f8778b98a474d1cbc4d9ffffdff5ac37804bb113c71609296614549565b6040519485521692a380f35b7f755bf61d0000000000000000000000000000000000000000000000000000000084526001600160a01b0316600452602483fd5b6004847ff943cf4d000000000000000000000000000000000000000000000000000000008152fd5b50346103235760403660031901126103235760206105226104c961351c565b602435906001600160a01b03165f527f30b3daee6f625f119990d502be224338b07ac9115aeaebf24e866443b29e720060205260405f20905f526001810160205267ffffffffffffffff60405f2054915460401c161090565b6040519015158152f35b503461032357806003193601126103235760206040517f65d7a28e3265b37a6474929f336521b332c1681b933f6cb9f3376673440d862a8152f35b5034610323576020366003190112610323576020600160ff1b61036d61034a61351c565b5034610323576060366003190112610323576004356001600160a01b038116808203610695576105b9613532565b6044356105c4613f6c565b6001600160a01b03604051927fa9059cbb0000000000000000000000000000000000000000000000000000000087521693846004528160245260208660448180855af1906001875114821615610676575b50826040521561064a57816020917f4143f7b5cb6ea007914c32b8a3e64cebc051d7f493fa0755454da1e47701e1259352a380f35b602485847f5274afe7000000000000000000000000000000000000000000000000000000008252600452fd5b600182151661068c573b15153d1516165f610615565b833d88823e3d90fd5b8280fd5b503461032357806003193601126103235760206040517f2df25f5bcf8eb9a8d8db3830caa6eda263fb1c00c2764364ddabd451f0bdb0d08152f35b5034610323576040366003190112610323576106ee61351c565b6001600160a01b03610738610701613532565b926001600160a01b03165f527f52c63247e1f47db19d5ce0460030c497f067ca4cebf71ba98eeadabe20bace0160205260405f2090565b91165f52602052602060405f2054604051908152f35b50346103235760203660031901126103235761077861076b61351c565b610773613f6c565b6142e1565b80f35b5034610323578060031936011261032357610794613f6c565b5f5160206152135f395f51905f5280546001600160d01b0319811690915560a01c65ffffffffffff166107c45780f35b7f8886ebfc4259abdbc16601dd8fb5678e54878f47b3c34836cfc51154a96051098180a180f35b503461032357604036600319011261032357600435610808613532565b90801580158061086e575b1561082757509061082391614e0a565b5080f35b61085f57908161085a610855610823945f525f5160206152335f395f51905f52602052600160405f20015490565b614099565b614e0a565b600483631fe1e13d60e11b8152fd5b507f65d7a28e3265b37a6474929f336521b332c1681b933f6cb9f3376673440d862a84525f5160206152335f395f51905f52602052604084206001600160a01b0333165f5260205260ff60405f205416610813565b50346103235760e0366003190112610323576108dd61351c565b6108e5613532565b6084359060ff8216820361095157610778927fff000000000000000000000000000000000000000000000000000000000000006040519360a435602086015260c435604086015260f81b16606084015260418352610944606184613576565b6064359160443591613d1d565b8380fd5b5034610323578060031936011261032357604065ffffffffffff61099b5f5160206152135f395f51905f52549065ffffffffffff6001600160a01b0383169260a01c1690565b6001600160a01b03849392935193168352166020820152f35b50346103235780600319360112610323575f5160206152135f395f51905f52546001600160a01b03163303610a88575f5160206152135f395f51905f52546001600160a01b0381169060a01c65ffffffffffff1680158015610a7e575b610a6c5750610a4090610a3a6001600160a01b035f5160206152535f395f51905f525416614d4e565b50614952565b506001600160d01b03195f5160206152135f395f51905f5254165f5160206152135f395f51905f525580f35b6319ca5ebb60e01b8352600452602482fd5b5042811015610a11565b80636116401160e11b6024925233600452fd5b50346103235780600319360112610323576020610ab6613e59565b65ffffffffffff60405191168152f35b503461032357602036600319011261032357604060209160043581527fc1f6fe24621ce81ec5827caf0253cadb74709b061630e6b55e8237170593200083522054604051908152f35b503461032357806003193601126103235760206040517f733bac3dca102687aa08c854c5f9067fc424f98fd8e90e41ad6b73aecc59a4fd8152f35b503461032357806003193601126103235750610bab604051610b6d604082613576565b600581527f352e302e3000000000000000000000000000000000000000000000000000000060208201526040519182916020835260208301906134f8565b0390f35b503461032357604036600319011261032357610bd6610bcc61351c565b602435903361448f565b602060405160018152f35b50346103235760203660031901126103235760043581527fc1f6fe24621ce81ec5827caf0253cadb74709b061630e6b55e8237170593200060205260408120604051908160208254918281520190819285526020852090855b818110610c9a5750505082610c50910383613576565b604051928392602084019060208552518091526040840192915b818110610c78575050500390f35b82516001600160a01b0316845285945060209384019390920191600101610c6a565b8254845260209093019260019283019201610c3a565b5034610323578060031936011261032357602090604051908152f35b50346103235780600319360112610323575f5160206152535f395f51905f52548060d01c9182151580610d31575b15610d28575060a01c65ffffffffffff165b6040805165ffffffffffff928316815292909116602083015290f35b91505080610d0c565b5042831015610cfa565b50346103235760a036600319011261032357610d5561351c565b610d5d613532565b906084359167ffffffffffffffff831161095157610d826107789336906004016135de565b916064359160443591613d1d565b503461032357806003193601126103235760405190807f52c63247e1f47db19d5ce0460030c497f067ca4cebf71ba98eeadabe20bace045490610dd28261364d565b8085529160018116908115610e8a5750600114610e0e575b610bab84610dfa81860382613576565b6040519182916020835260208301906134f8565b7f52c63247e1f47db19d5ce0460030c497f067ca4cebf71ba98eeadabe20bace0481527f46a2803e59a4de4e7a4c574b1243f25977ac4c77d5a1a4a609b5394cebb4a2aa939250905b808210610e7057509091508101602001610dfa82610dea565b919260018160209254838588010152019101909291610e57565b60ff191660208087019190915292151560051b85019092019250610dfa9150839050610dea565b5034610323576040366003190112610323576001600160a01b036040610ed5613532565b9260043581525f5160206152335f395f51905f526020522091165f52602052602060ff60405f2054166040519015158152f35b5034610323576040366003190112610323576001600160a01b03610f5c60209260043581527fc1f6fe24621ce81ec5827caf0253cadb74709b061630e6b55e82371705932000845260406024359120614cac565b90549060031b1c16604051908152f35b6135fc565b503461032357602036600319011261032357610f8b61351c565b610f93613fbb565b610fba816001600160a01b03165f525f5160206151f35f395f51905f5260205260405f2090565b906001600160a01b0382549116918215801561103c575b611029576001600160ff1b831615151415918261101a575b5050610ff3575080f35b7fc9710d20bdbf99ca92a03644a5a8f85ea6badb387ff0abca08eebdfbff50b77f8280a280f35b600160ff1b1890555f80610fe9565b60248484632c06e91d60e01b8252600452fd5b50600160fd1b82161515610fd1565b50346103235780600319360112610323576110c590611068613685565b9061107161377a565b9060206110d3604051936110858386613576565b8385525f3681376040519687967f0f00000000000000000000000000000000000000000000000000000000000000885260e08589015260e08801906134f8565b9086820360408801526134f8565b904660608601523060808601528260a086015284820360c08601528080855193848152019401925b82811061110a57505050500390f35b8351855286955093810193928101926001016110fb565b50346103235780600319360112610323577f65d7a28e3265b37a6474929f336521b332c1681b933f6cb9f3376673440d862a81525f5160206152335f395f51905f52602052604081206001600160a01b0333165f5260205260ff60405f20541615611214577fcd5ed15c6e187e77e9aee88184c21f4f2182ab5827cb3b7e07fbedcd63f033005460ff8116156111b5575080f35b6001906111c06140e6565b60ff1916177fcd5ed15c6e187e77e9aee88184c21f4f2182ab5827cb3b7e07fbedcd63f03300557f62e78cea01bee320cd4e420270b5ea74000d11b0c9f74754ebdbfc544b05a2586020604051338152a180f35b8063e2517d3f60e01b60449252336004527f65d7a28e3265b37a6474929f336521b332c1681b933f6cb9f3376673440d862a602452fd5b50346103235760203660031901126103235760406020916001600160a01b0361127261351c565b1681527f5ab42ced628888259c08ac98db1eb0cf702fc1501344311d8b100cd1bfe4bb0083522054604051908152f35b503461032357806003193601126103235760206040517f6666bf5bfee463d10a7fc50448047f8a53b7762d7e28fbc5c643182785f3fd3f8152f35b50346103235760203660031901126103235760206fffffffffffffffffffffffffffffffff61130d61034a61351c565b5416604051908152f35b50346103235760403660031901126103235761077861133461351c565b60243590613b89565b50346103235760203660031901126103235760043565ffffffffffff81168082036106955761136a613f6c565b61137342614c7d565b9065ffffffffffff611383613e59565b168082111561150f57507ff1038c18cf84a56e432fdbfaf746924b7ea511dfe03a6506a0ceba4888788d9b929165ffffffffffff8262069780806113d1951091180262069780181690614360565b905f5160206152535f395f51905f52548060d01c8061149f575b5050611444817fffffffffffff000000000000ffffffffffffffffffffffffffffffffffffffff65ffffffffffff60a01b5f5160206152535f395f51905f52549260a01b169116175f5160206152535f395f51905f5255565b611481826001600160d01b036001600160d01b03195f5160206152535f395f51905f52549260d01b169116175f5160206152535f395f51905f5255565b6040805165ffffffffffff928316815292909116602083015290a180f35b4211156114e5576001600160d01b036001600160d01b03195f5160206152135f395f51905f52549260301b169116175f5160206152135f395f51905f52555b5f806113eb565b507f2b1fa2edafe6f7b9e97c1a9e0c3660e645beb2dcaa2d45bdbf9beaf5472e1ec58480a16114de565b0365ffffffffffff811161154a577ff1038c18cf84a56e432fdbfaf746924b7ea511dfe03a6506a0ceba4888788d9b92916113d19190614360565b602484634e487b7160e01b81526011600452fd5b50346103235760203660031901126103235761157861351c565b611580613f6c565b7f3377dc44241e779dd06afab5b788a35ca5f3b778836e2990bdb26a2a4b2e5ed660206115bd6115af42614c7d565b6115b7613e59565b90614360565b65ffffffffffff6001600160a01b036115f85f5160206152135f395f51905f52549065ffffffffffff6001600160a01b0383169260a01c1690565b96905016945f5160206152135f395f51905f5254866001600160d01b031965ffffffffffff60a01b8660a01b16921617175f5160206152135f395f51905f525516611650575b65ffffffffffff60405191168152a280f35b7f8886ebfc4259abdbc16601dd8fb5678e54878f47b3c34836cfc51154a96051098580a161163e565b503461032357806003193601126103235760206001600160a01b037fdf70978560cb796de18a1cd894074aebff888eb4ac2eca6beee81e12d4d3e7005416604051908152f35b5034610323578060031936011261032357602060ff7fcd5ed15c6e187e77e9aee88184c21f4f2182ab5827cb3b7e07fbedcd63f0330054166040519015158152f35b50346103235760803660031901126103235761171b61351c565b6064359067ffffffffffffffff82116106955761173f610778923690600401613548565b9161174861402a565b60443590602435906138ef565b50346103235780600319360112610323576001600160a01b037f00000000000000000000000000000000000000000000000000000000000000001630036117c05760206040517f360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc8152f35b8063703e46dd60e11b60049252fd5b506040366003190112610323576117e461351c565b9060243567ffffffffffffffff8111611a45576118059036906004016135de565b916001600160a01b037f000000000000000000000000000000000000000000000000000000000000000016803014908115611a10575b50611a0157611848613f6c565b6001600160a01b03811690604051937f52d1902d000000000000000000000000000000000000000000000000000000008552602085600481865afa809585966119c9575b506118a45760248484634c9c8ce360e01b8252600452fd5b9091847f360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc810361199e5750823b1561198c57806001600160a01b03197f360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc5416177f360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc557fbc7cd75a20ee27fd9adebab32041f755214dbc6bffa90cc0225b39da2e5c2d3b8480a280511561195a5761082391614ec0565b5050346119645780f35b807fb398979f0000000000000000000000000000000000000000000000000000000060049252fd5b634c9c8ce360e01b8452600452602483fd5b7faa1d49a4000000000000000000000000000000000000000000000000000000008552600452602484fd5b9095506020813d6020116119f9575b816119e560209383613576565b810103126119f55751945f61188c565b8480fd5b3d91506119d8565b60048263703e46dd60e11b8152fd5b90506001600160a01b037f360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc541614155f61183b565b5080fd5b5034610323578060031936011261032357602060405160ff8152f35b34611b06576020366003190112611b0657611a7e61351c565b611a86613fbb565b611aad816001600160a01b03165f525f5160206151f35f395f51905f5260205260405f2090565b805490600160ff1b821615159182611af7575b5050611ac857005b6001600160a01b03167fd247131fabb99dc3ba793524f53f05a77eeef38f12b30119655ee340810b12105f80a2005b600160ff1b1890558280611ac0565b5f80fd5b34611b06575f366003190112611b0657335f9081527f475b312747b0505dfd322c59063ca43b615bb2e6d10fdf52fb58877bbcde4011602052604090205460ff1615611bfc577fcd5ed15c6e187e77e9aee88184c21f4f2182ab5827cb3b7e07fbedcd63f033005460ff811680611b7d57005b15611bd45760ff19167fcd5ed15c6e187e77e9aee88184c21f4f2182ab5827cb3b7e07fbedcd63f03300557f5db9ee0a495bf2e6ff9c91a7834c1ba4fdd244a5e8aa4e537bd38aeae4b073aa6020604051338152a1005b7f8dfc202b000000000000000000000000000000000000000000000000000000005f5260045ffd5b63e2517d3f60e01b5f52336004527f427da25fe773164f88948d3e215c94b6554e2ed5e5f203a821c9f2f6131cf75a60245260445ffd5b34611b06576040366003190112611b0657600435611c4f613532565b811580611d5c575b611c9f575b336001600160a01b03821603611c7757611c7591614e0a565b005b7f6697b232000000000000000000000000000000000000000000000000000000005f5260045ffd5b5f5160206152135f395f51905f525465ffffffffffff60a082901c16906001600160a01b031615801590611d4c575b8015611d3a575b611d1f57507fffffffffffff000000000000ffffffffffffffffffffffffffffffffffffffff5f5160206152135f395f51905f5254165f5160206152135f395f51905f5255611c5c565b65ffffffffffff906319ca5ebb60e01b5f521660045260245ffd5b504265ffffffffffff82161015611cd5565b5065ffffffffffff811615611cce565b506001600160a01b035f5160206152535f395f51905f5254166001600160a01b03821614611c57565b34611b06575f366003190112611b06576020611d9f614c08565b604051908152f35b34611b06575f366003190112611b0657602060ff7f30b3daee6f625f119990d502be224338b07ac9115aeaebf24e866443b29e7201541615604051908152f35b34611b06575f366003190112611b0657602060405160068152f35b34611b06575f366003190112611b065760206040517f6e71edae12b1b97f4d1f60370fef10105fa2faae0126114a169c64845d6126c98152f35b34611b06576040366003190112611b0657600435611e58613532565b8115611e8c5781611e87610855611c75945f525f5160206152335f395f51905f52602052600160405f20015490565b614af7565b631fe1e13d60e11b5f5260045ffd5b34611b06576020366003190112611b06576001600160a01b03611ebc61351c565b165f527f30b3daee6f625f119990d502be224338b07ac9115aeaebf24e866443b29e7200602052602067ffffffffffffffff60405f205416604051908152f35b34611b06576020366003190112611b06576020611d9f6004355f525f5160206152335f395f51905f52602052600160405f20015490565b34611b06576060366003190112611b0657611f4c61351c565b611f54613532565b60443590600160ff1b611f84336001600160a01b03165f525f5160206151f35f395f51905f5260205260405f2090565b54166120ef57611fc4836001600160a01b03165f527f52c63247e1f47db19d5ce0460030c497f067ca4cebf71ba98eeadabe20bace0160205260405f2090565b6001600160a01b0333165f5260205260405f2054925f198410611fec575b610bd6935061448f565b8284106120bb576001600160a01b0381161561208f57331561206357610bd693612046826001600160a01b03165f527f52c63247e1f47db19d5ce0460030c497f067ca4cebf71ba98eeadabe20bace0160205260405f2090565b6001600160a01b0333165f526020528360405f2091039055611fe2565b7f94280d62000000000000000000000000000000000000000000000000000000005f525f60045260245ffd5b7fe602df05000000000000000000000000000000000000000000000000000000005f525f60045260245ffd5b82847ffb8f41b2000000000000000000000000000000000000000000000000000000005f523360045260245260445260645ffd5b6317ee869560e21b5f523360045260245ffd5b34611b06576020366003190112611b065760043567ffffffffffffffff8111611b065780600401906101406003198236030112611b06577ff0c57e16840df040f15088dc2f81fe391c3923bec73e23a9662efc9c229c6a00549067ffffffffffffffff60ff8360401c1615921680159081612e14575b6001149081612e0a575b159081612e01575b50612dd95761221a9282600167ffffffffffffffff197ff0c57e16840df040f15088dc2f81fe391c3923bec73e23a9662efc9c229c6a005416177ff0c57e16840df040f15088dc2f81fe391c3923bec73e23a9662efc9c229c6a0055612d79575b6121f58180613872565b6122126122086024869894980185613872565b9790923691613598565b953691613598565b936122236148fb565b61222b6148fb565b80519067ffffffffffffffff82116129a45781906122697f52c63247e1f47db19d5ce0460030c497f067ca4cebf71ba98eeadabe20bace035461364d565b601f8111612ce4575b50602090601f8311600114612c40575f92612c35575b50508160011b915f199060031b1c1916177f52c63247e1f47db19d5ce0460030c497f067ca4cebf71ba98eeadabe20bace03555b835167ffffffffffffffff81116129a4576122f77f52c63247e1f47db19d5ce0460030c497f067ca4cebf71ba98eeadabe20bace045461364d565b601f8111612ba8575b50602094601f8211600114612b07579481929394955f92612afc575b50508160011b915f199060031b1c1916177f52c63247e1f47db19d5ce0460030c497f067ca4cebf71ba98eeadabe20bace04555b61236461235d8280613872565b3691613598565b9261236d6148fb565b6040519361237c604086613576565b600185527f310000000000000000000000000000000000000000000000000000000000000060208601526123ae6148fb565b80519067ffffffffffffffff82116129a45781906123ec7fa16a46d94261c7517cc8ff89f61c0ce93598e3c849801011dee649a6a557d1025461364d565b601f8111612a67575b50602090601f83116001146129c3575f926129b8575b50508160011b915f199060031b1c1916177fa16a46d94261c7517cc8ff89f61c0ce93598e3c849801011dee649a6a557d102555b835167ffffffffffffffff81116129a45761247a7fa16a46d94261c7517cc8ff89f61c0ce93598e3c849801011dee649a6a557d1035461364d565b601f8111612917575b50602094601f8211600114612876579481929394955f9261286b575b50508160011b915f199060031b1c1916177fa16a46d94261c7517cc8ff89f61c0ce93598e3c849801011dee649a6a557d103555b6124df604484016138a5565b6124ec60c48501846138b9565b9490936124fc60e48301826138b9565b9490936125076148fb565b61250f6148fb565b6125176148fb565b6001600160a01b0381161561285857612556906001600160d01b035f5160206152135f395f51905f5254165f5160206152135f395f51905f5255614952565b505f5b878110156125da5761256f8160051b88016138a5565b906001600160a01b038216156125b2576125ab6001927f65d7a28e3265b37a6474929f336521b332c1681b933f6cb9f3376673440d862a614af7565b5001612559565b7fd92e233d000000000000000000000000000000000000000000000000000000005f5260045ffd5b505f5b85811015612636576125f38160051b86016138a5565b906001600160a01b038216156125b25761262f6001927f427da25fe773164f88948d3e215c94b6554e2ed5e5f203a821c9f2f6131cf75a614af7565b50016125dd565b50305f9081525f5160206151f35f395f51905f5260205260409020600160fd1b8154179055612667606484016138a5565b6001600160a01b038116156125b25761267f90614a18565b5061268d60848401836138b9565b9390925f5b858110156126eb576126a88160051b86016138a5565b906001600160a01b038216156125b2576126e46001927f733bac3dca102687aa08c854c5f9067fc424f98fd8e90e41ad6b73aecc59a4fd614af7565b5001612692565b506126fa9060a48301906138b9565b9290915f5b84811015612758576127158160051b85016138a5565b906001600160a01b038216156125b2576127516001927f92de27771f92d6942691d73358b3a4673e4880de8356f8f2cf452be87e02d363614af7565b50016126ff565b506101249061276d61077361010483016138a5565b01358015158103611b0657612800575b61278357005b68ff0000000000000000197ff0c57e16840df040f15088dc2f81fe391c3923bec73e23a9662efc9c229c6a0054167ff0c57e16840df040f15088dc2f81fe391c3923bec73e23a9662efc9c229c6a00557fc7f505b2f371ae2175ee4913f4499e1f2633a7b5936321eed1cdaeb6115181d2602060405160018152a1005b6128086148fb565b600160ff197f30b3daee6f625f119990d502be224338b07ac9115aeaebf24e866443b29e72015416177f30b3daee6f625f119990d502be224338b07ac9115aeaebf24e866443b29e72015561277d565b636116401160e11b5f525f60045260245ffd5b01519050858061249f565b601f198216957fa16a46d94261c7517cc8ff89f61c0ce93598e3c849801011dee649a6a557d1035f52805f20915f5b8881106128ff575083600195969798106128e7575b505050811b017fa16a46d94261c7517cc8ff89f61c0ce93598e3c849801011dee649a6a557d103556124d3565b01515f1960f88460031b161c191690558580806128ba565b919260206001819286850151815501940192016128a5565b81811115612483577fa16a46d94261c7517cc8ff89f61c0ce93598e3c849801011dee649a6a557d1035f52601f820160051c7f5f9ce34815f8e11431c7bb75a8e6886a91478f7ffc1dbb0a98dc240fddd76b756020841061299c575b81601f9101920160051c03905f5b82811061298f575050612483565b5f82820155600101612981565b5f9150612973565b634e487b7160e01b5f52604160045260245ffd5b01519050868061240b565b7fa16a46d94261c7517cc8ff89f61c0ce93598e3c849801011dee649a6a557d1025f9081528281209350601f198516905b818110612a4f5750908460019594939210612a37575b505050811b017fa16a46d94261c7517cc8ff89f61c0ce93598e3c849801011dee649a6a557d1025561243f565b01515f1960f88460031b161c19169055868080612a0a565b929360206001819287860151815501950193016129f4565b828111156123f5577fa16a46d94261c7517cc8ff89f61c0ce93598e3c849801011dee649a6a557d1025f52909150601f830160051c7f42ad5d3e1f2e6e70edcf6d991b8a3023d3fca8047a131592f9edb9fd9b89d57d60208510612af4575b849392601f0160051c82900391015f5b828110612ae45750506123f5565b5f81830155859450600101612ad6565b5f9150612ac6565b01519050858061231c565b601f198216957f52c63247e1f47db19d5ce0460030c497f067ca4cebf71ba98eeadabe20bace045f52805f20915f5b888110612b9057508360019596979810612b78575b505050811b017f52c63247e1f47db19d5ce0460030c497f067ca4cebf71ba98eeadabe20bace0455612350565b01515f1960f88460031b161c19169055858080612b4b565b91926020600181928685015181550194019201612b36565b81811115612300577f52c63247e1f47db19d5ce0460030c497f067ca4cebf71ba98eeadabe20bace045f52601f820160051c7f46a2803e59a4de4e7a4c574b1243f25977ac4c77d5a1a4a609b5394cebb4a2aa60208410612c2d575b81601f9101920160051c03905f5b828110612c20575050612300565b5f82820155600101612c12565b5f9150612c04565b015190508680612288565b7f52c63247e1f47db19d5ce0460030c497f067ca4cebf71ba98eeadabe20bace035f9081528281209350601f198516905b818110612ccc5750908460019594939210612cb4575b505050811b017f52c63247e1f47db19d5ce0460030c497f067ca4cebf71ba98eeadabe20bace03556122bc565b01515f1960f88460031b161c19169055868080612c87565b92936020600181928786015181550195019301612c71565b82811115612272577f52c63247e1f47db19d5ce0460030c497f067ca4cebf71ba98eeadabe20bace035f52909150601f830160051c7f2ae08a8e29253f69ac5d979a101956ab8f8d9d7ded63fa7a83b16fc47648eab060208510612d71575b849392601f0160051c82900391015f5b828110612d61575050612272565b5f81830155859450600101612d53565b5f9150612d43565b6801000000000000000068ff0000000000000000197ff0c57e16840df040f15088dc2f81fe391c3923bec73e23a9662efc9c229c6a005416177ff0c57e16840df040f15088dc2f81fe391c3923bec73e23a9662efc9c229c6a00556121eb565b7ff92ee8a9000000000000000000000000000000000000000000000000000000005f5260045ffd5b9050158461218a565b303b159150612182565b839150612178565b34611b06575f366003190112611b065760207f1c5b71e390fbdf7fac18e3e48a1419f2be3ccff361a50679abe951dcb20a4f0154604051908152f35b34611b06575f366003190112611b0657612e70613f6c565b5f5160206152535f395f51905f52548060d01c80612ea6575b5f5160206152535f395f51905f5280546001600160a01b03169055005b421115612eec576001600160d01b036001600160d01b03195f5160206152135f395f51905f52549260301b169116175f5160206152135f395f51905f52555b8080612e89565b507f2b1fa2edafe6f7b9e97c1a9e0c3660e645beb2dcaa2d45bdbf9beaf5472e1ec55f80a1612ee5565b34611b06576020366003190112611b065760043567ffffffffffffffff8111611b0657612f47903690600401613548565b604051916060830183811067ffffffffffffffff8211176129a4576040525f83526020830190604051612f7b606082613576565b6060368237825260606040858101918252335f9081527f56c0826db07abda8b109e354b33d71292576ac95c10faa346fe587912b1a2b92602052205490939060ff161561316d57612fca6140e6565b8015613145575f915f5b8281106130f65750505050805151602082510151808203613046575b505091906040519283926020845251602084015251604083015f905b6003821061302c57505050610bab905160a08084015260c08301906134f8565b82518152859450602092830192600192909201910161300c565b7f1c5b71e390fbdf7fac18e3e48a1419f2be3ccff361a50679abe951dcb20a4f01549182018092116130e25781039081116130e2576effffffffffffffffffffffffffffff81116130cb576effffffffffffffffffffffffffffff167f1c5b71e390fbdf7fac18e3e48a1419f2be3ccff361a50679abe951dcb20a4f01558380612ff0565b6306dfcc6560e41b5f52607860045260245260445ffd5b634e487b7160e01b5f52601160045260245ffd5b60ff841461311d57868461310b928585614139565b925f1981146130e25760010192612fd4565b7f3c46992e000000000000000000000000000000000000000000000000000000005f5260045ffd5b7f2942018e000000000000000000000000000000000000000000000000000000005f5260045ffd5b63e2517d3f60e01b5f52336004527f6666bf5bfee463d10a7fc50448047f8a53b7762d7e28fbc5c643182785f3fd3f60245260445ffd5b34611b06576040366003190112611b0657610bd66131c061351c565b6024359033614648565b34611b06575f366003190112611b06576040515f7f52c63247e1f47db19d5ce0460030c497f067ca4cebf71ba98eeadabe20bace03546132098161364d565b80845290600181169081156132ae5750600114613231575b610bab83610dfa81850382613576565b7f52c63247e1f47db19d5ce0460030c497f067ca4cebf71ba98eeadabe20bace035f9081527f2ae08a8e29253f69ac5d979a101956ab8f8d9d7ded63fa7a83b16fc47648eab0939250905b80821061329457509091508101602001610dfa613221565b91926001816020925483858801015201910190929161327c565b60ff191660208086019190915291151560051b84019091019150610dfa9050613221565b34611b06575f366003190112611b065760206040517f92de27771f92d6942691d73358b3a4673e4880de8356f8f2cf452be87e02d3638152f35b34611b06575f366003190112611b0657335f527f30b3daee6f625f119990d502be224338b07ac9115aeaebf24e866443b29e720060205260405f2061335b67ffffffffffffffff82541661362e565b81547fffffffffffffffff0000000000000000000000000000000000000000000000001667ffffffffffffffff82161760409190911b6fffffffffffffffff0000000000000000161790556133af33613eaa565b50337f630788e27149e9ef992dcf7107cbb5cd46ae7a218cb303625c5e339983a1c8c85f80a2005b34611b06575f366003190112611b06576020604051620697808152f35b34611b06576020366003190112611b0657600435907fffffffff000000000000000000000000000000000000000000000000000000008216809203611b0657817f5a05180f0000000000000000000000000000000000000000000000000000000060209314908115613468575b5015158152f35b7f314987860000000000000000000000000000000000000000000000000000000081149150811561349b575b5083613461565b7f7965db0b000000000000000000000000000000000000000000000000000000008114915081156134ce575b5083613494565b7f01ffc9a700000000000000000000000000000000000000000000000000000000915014836134c7565b805180835260209291819084018484015e5f828201840152601f01601f1916010190565b600435906001600160a01b0382168203611b0657565b602435906001600160a01b0382168203611b0657565b9181601f84011215611b065782359167ffffffffffffffff8311611b065760208381860195010111611b0657565b90601f8019910116810190811067ffffffffffffffff8211176129a457604052565b92919267ffffffffffffffff82116129a457604051916135c2601f8201601f191660200184613576565b829481845281830111611b06578281602093845f960137010152565b9080601f83011215611b06578160206135f993359101613598565b90565b34611b06575f366003190112611b065760206001600160a01b035f5160206152535f395f51905f525416604051908152f35b67ffffffffffffffff1667ffffffffffffffff81146130e25760010190565b90600182811c9216801561367b575b602083101461366757565b634e487b7160e01b5f52602260045260245ffd5b91607f169161365c565b604051905f827fa16a46d94261c7517cc8ff89f61c0ce93598e3c849801011dee649a6a557d10254916136b78361364d565b808352926001811690811561375b57506001146136dd575b6136db92500383613576565b565b507fa16a46d94261c7517cc8ff89f61c0ce93598e3c849801011dee649a6a557d1025f90815290917f42ad5d3e1f2e6e70edcf6d991b8a3023d3fca8047a131592f9edb9fd9b89d57d5b81831061373f5750509060206136db928201016136cf565b6020919350806001915483858901015201910190918492613727565b602092506136db94915060ff191682840152151560051b8201016136cf565b604051905f827fa16a46d94261c7517cc8ff89f61c0ce93598e3c849801011dee649a6a557d10354916137ac8361364d565b808352926001811690811561375b57506001146137cf576136db92500383613576565b507fa16a46d94261c7517cc8ff89f61c0ce93598e3c849801011dee649a6a557d1035f90815290917f5f9ce34815f8e11431c7bb75a8e6886a91478f7ffc1dbb0a98dc240fddd76b755b8183106138315750509060206136db928201016136cf565b6020919350806001915483858901015201910190918492613819565b90600381101561385e5760051b0190565b634e487b7160e01b5f52603260045260245ffd5b903590601e1981360301821215611b06570180359067ffffffffffffffff8211611b0657602001918136038313611b0657565b356001600160a01b0381168103611b065790565b903590601e1981360301821215611b06570180359067ffffffffffffffff8211611b0657602001918160051b36038313611b0657565b91909361394c85846001600160a01b03165f527f30b3daee6f625f119990d502be224338b07ac9115aeaebf24e866443b29e720060205260405f20905f526001810160205267ffffffffffffffff60405f2054915460401c161090565b613b82576001600160a01b03831693845f527f30b3daee6f625f119990d502be224338b07ac9115aeaebf24e866443b29e720060205260405f20928215801590613b56575b613a65575b50505067ffffffffffffffff81816139b281600195541661362e565b8181168219845416178355875f528483016020521660405f2055613a276139de83835460801c1661362e565b82547fffffffffffffffff0000000000000000ffffffffffffffffffffffffffffffff16608082901b77ffffffffffffffff000000000000000000000000000000001617909255565b1614613a55575b507fb20e0026439ec3f577de88ff061a27b305235cdfdec7dda6f061df1ba0280ee55f80a3565b613a5e90613ef2565b505f613a2e565b67ffffffffffffffff84541690804211613b2b5791613adf613ae792613aee95946040519060208201927f2df25f5bcf8eb9a8d8db3830caa6eda263fb1c00c2764364ddabd451f0bdb0d084528b60408401528c6060840152608083015260a082015260a08152613ad760c082613576565b51902061437e565b923691613598565b90846143bf565b15613afb575f8080613996565b50507f172efc84000000000000000000000000000000000000000000000000000000005f5260045260245260445ffd5b7f992b5308000000000000000000000000000000000000000000000000000000005f5260045260245ffd5b5060ff7f30b3daee6f625f119990d502be224338b07ac9115aeaebf24e866443b29e7201541615613991565b5050505050565b6001600160a01b03811690813303613d10575b613bf683826001600160a01b03165f527f30b3daee6f625f119990d502be224338b07ac9115aeaebf24e866443b29e720060205260405f20905f526001810160205267ffffffffffffffff60405f2054915460401c161090565b15613d0b57815f527f30b3daee6f625f119990d502be224338b07ac9115aeaebf24e866443b29e720060205260405f20835f52600181016020525f604081205567ffffffffffffffff613c4b8183541661362e565b825467ffffffffffffffff191691161780825560801c67ffffffffffffffff169081156130e257613ccd67ffffffffffffffff925f19018092907fffffffffffffffff0000000000000000ffffffffffffffffffffffffffffffff77ffffffffffffffff0000000000000000000000000000000083549260801b169116179055565b1615613cfb575b507f7fec2fe82d90bf539ed003543e553a47cf2165de8f1a40a42e5564d81236143d5f80a3565b613d0490613eaa565b505f613cd4565b505050565b613d1861402a565b613b9c565b9091929493854211613e2d57613dcc6001600160a01b03831696875f527f5ab42ced628888259c08ac98db1eb0cf702fc1501344311d8b100cd1bfe4bb0060205260405f20908154916001830190556040519060208201927f6e71edae12b1b97f4d1f60370fef10105fa2faae0126114a169c64845d6126c984528a60408401526001600160a01b038816606084015288608084015260a083015260c082015260c08152613ad760e082613576565b613dd78282856143bf565b15613de95750506136db939450614648565b613dfc87926001600160a01b0392614455565b50507f4b800e46000000000000000000000000000000000000000000000000000000005f521660045260245260445ffd5b857f62791302000000000000000000000000000000000000000000000000000000005f5260045260245ffd5b5f5160206152535f395f51905f52548060d01c8015159081613ea0575b5015613e8a5760a01c65ffffffffffff1690565b505f5160206152135f395f51905f525460d01c90565b905042115f613e76565b613ed1906001600160a01b03165f525f5160206151f35f395f51905f5260205260405f2090565b90815491600160fe1b831615159283613ee8575050565b600160fe1b189055565b90613f1a826001600160a01b03165f525f5160206151f35f395f51905f5260205260405f2090565b6001600160a01b038154931680158015613f5d575b613f4b57506001600160fe1b8416151514159283613ee8575050565b632c06e91d60e01b5f5260045260245ffd5b50600160fd1b84161515613f2f565b335f9081527fb7db2dd08fcb62d0c9e08c51941cae53c267786a0b75803fb7960902fc8ef97d602052604090205460ff1615613fa457565b63e2517d3f60e01b5f52336004525f60245260445ffd5b335f9081527f11f2c28990afe308f25e3b97df7788865d3cc770b6e5ca1f1d5a2fd82760d867602052604090205460ff1615613ff357565b63e2517d3f60e01b5f52336004527f92de27771f92d6942691d73358b3a4673e4880de8356f8f2cf452be87e02d36360245260445ffd5b335f9081527fd44a0d2099ad7d3a533e56e7ef83de2cd2546d692152b02f67f56eddc7787ef3602052604090205460ff161561406257565b63e2517d3f60e01b5f52336004527f733bac3dca102687aa08c854c5f9067fc424f98fd8e90e41ad6b73aecc59a4fd60245260445ffd5b805f525f5160206152335f395f51905f5260205260405f206001600160a01b0333165f5260205260ff60405f205416156140d05750565b63e2517d3f60e01b5f523360045260245260445ffd5b60ff7fcd5ed15c6e187e77e9aee88184c21f4f2182ab5827cb3b7e07fbedcd63f03300541661411157565b7fd93c0665000000000000000000000000000000000000000000000000000000005f5260045ffd5b92909493828401916011833593013560601c9667ffffffffffffffff8460f81c9460b81c1694600285145f146142da5760395b810191600286119081156142d0575b506142a55750600384101595866141d757819886155f1461426057505060015b60068110156141d757806141eb5750509060016020921b81511781520151926141d7576141d4916141cc828561384d565b51019261384d565b52565b634e487b7160e01b5f52602160045260245ffd5b90969750602095508591945061425c9350604060029301947fff000000000000000000000000000000000000000000000000000000000000008651928160405199858b9651918291018888015e85019360f81b168584015260f81b1660218201520301601d19810185520183613576565b5290565b5f9750908561427957508561427491614875565b61419b565b5f9750908690600187036142915761427492506147d1565b614274928401601319013560601c906146dc565b7f2c56acb6000000000000000000000000000000000000000000000000000000005f5260045260245ffd5b905082115f61417b565b602561416c565b6001600160a01b0316806001600160a01b03197fdf70978560cb796de18a1cd894074aebff888eb4ac2eca6beee81e12d4d3e7005416177fdf70978560cb796de18a1cd894074aebff888eb4ac2eca6beee81e12d4d3e700557fe90c02b510286692764a4fc5958ada200a0d3d08a64d47593bf5f097470ac3a95f80a2565b9065ffffffffffff8091169116019065ffffffffffff82116130e257565b604290614389614c08565b90604051917f19010000000000000000000000000000000000000000000000000000000000008352600283015260228201522090565b9190916143cc8284614455565b5060048110156141d75715908161443f575b50614437576020926064835f94519060405193630b135d3f60e11b855260048501526040602485015286820190604485015e8281018201859052601f01601f191601915afa630b135d3f60e11b5f5114601f3d11161690565b505050600190565b90506001600160a01b038083169116145f6143de565b81519190604183036144855761447e9250602082015190606060408401519301515f1a90614cc1565b9192909190565b50505f9160029190565b9291906001600160a01b03841693841561451d576001600160a01b0382161561450a576144ba6140e6565b600160ff1b6144e6826001600160a01b03165f525f5160206151f35f395f51905f5260205260405f2090565b54166144f7576136db939450614549565b846317ee869560e21b5f5260045260245ffd5b63ec442f0560e01b5f525f60045260245ffd5b7f96c6fd1e000000000000000000000000000000000000000000000000000000005f525f60045260245ffd5b6001600160a01b03909291921690815f525f5160206151f35f395f51905f526020526001600160a01b0360405f20931692835f525f5160206151f35f395f51905f5260205260405f20908154600160fd1b811661463557600160ff1b166144f7576fffffffffffffffffffffffffffffffff81541683811061460157509160209183827fddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef9554039055818154019055604051908152a3565b8390857fe450d38c000000000000000000000000000000000000000000000000000000005f5260045260245260445260645ffd5b8563ec442f0560e01b5f5260045260245ffd5b916001600160a01b03831691821561208f576001600160a01b0316928315612063577f8c5be1e5ebec7d5bd14f71427d1e84f3dd0314c0f7b2291e5b200ac8c7c3b925916146c86020926001600160a01b03165f527f52c63247e1f47db19d5ce0460030c497f067ca4cebf71ba98eeadabe20bace0160205260405f2090565b855f5282528060405f2055604051908152a3565b91906001600160a01b0316918215614437576001600160a01b031690815f525f5160206151f35f395f51905f5260205260405f20835f525f5160206151f35f395f51905f5260205260405f209181548354600160fd1b81166147c5578117600160ff1b166147ba57600160fe1b8116156147af576fffffffffffffffffffffffffffffffff829116106147a5577fddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef92828260209454039055818154019055604051908152a35f90565b5050505050600590565b505050505050600490565b505050505050600390565b50505050505050600290565b6001600160a01b0316805f525f5160206151f35f395f51905f5260205260405f208054600160ff1b811661486c57600160fe1b81161561486357836fffffffffffffffffffffffffffffffff82161061485a57837fddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef925f95602093039055604051908152a35f90565b50505050600590565b50505050600490565b50505050600390565b6001600160a01b03169081156148f457815f525f5160206151f35f395f51905f5260205260405f208054600160fd1b81166148eb57600160ff1b811661486c57827fddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef925f94602093019055604051908152a35f90565b50505050600290565b5050600190565b60ff7ff0c57e16840df040f15088dc2f81fe391c3923bec73e23a9662efc9c229c6a005460401c161561492a57565b7fd7e6bcf8000000000000000000000000000000000000000000000000000000005f5260045ffd5b6001600160a01b035f5160206152535f395f51905f525416611e8c576149a6816001600160a01b03166001600160a01b03195f5160206152535f395f51905f525416175f5160206152535f395f51905f5255565b6149b0815f6150f8565b90816149ba575090565b5f80527fc1f6fe24621ce81ec5827caf0253cadb74709b061630e6b55e82371705932000602052614a14906001600160a01b03167f615f0f9e84155bea8cc509fe18befeb1baf65611e38a6ba60964480fb29dfd44615199565b5090565b614a3f816001600160a01b03165f525f5160206151f35f395f51905f5260205260405f2090565b600160fd1b8154179055614a73817f6666bf5bfee463d10a7fc50448047f8a53b7762d7e28fbc5c643182785f3fd3f6150f8565b9081614a7d575090565b7f6666bf5bfee463d10a7fc50448047f8a53b7762d7e28fbc5c643182785f3fd3f5f527fc1f6fe24621ce81ec5827caf0253cadb74709b061630e6b55e82371705932000602052614a14906001600160a01b03167f40cf70a5221a64340c5157ea7ead314d36c4999fb14caf178c499df7fe14b4c3615199565b7f6666bf5bfee463d10a7fc50448047f8a53b7762d7e28fbc5c643182785f3fd3f8114614bd2575b8015614b79575b614b3082826150f8565b9182614b3b57505090565b614a14915f527fc1f6fe24621ce81ec5827caf0253cadb74709b061630e6b55e823717059320006020526001600160a01b0360405f20911690615199565b6001600160a01b035f5160206152535f395f51905f525416611e8c57614bcd826001600160a01b03166001600160a01b03195f5160206152535f395f51905f525416175f5160206152535f395f51905f5255565b614b26565b614bf9826001600160a01b03165f525f5160206151f35f395f51905f5260205260405f2090565b600160fd1b8154179055614b1f565b614c10613685565b60208151910120614c1f61377a565b602081519101206040519060208201927f8b73c3c69bb8fe3d512ecc4cf759cc79239f7b179b0ffacaa9a75d522b39400f8452604083015260608201524660808201523060a082015260a08152614c7760c082613576565b51902090565b65ffffffffffff8111614c955765ffffffffffff1690565b6306dfcc6560e41b5f52603060045260245260445ffd5b805482101561385e575f5260205f2001905f90565b91907f7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a08411614d43579160209360809260ff5f9560405194855216868401526040830152606082015282805260015afa15614d38575f516001600160a01b03811615614d2e57905f905f90565b505f906001905f90565b6040513d5f823e3d90fd5b5050505f9160039190565b614d826001600160a01b035f5160206152535f395f51905f525416916001600160a01b038116928314614ddd575b5f614f7a565b9081614d8c575090565b5f80527fc1f6fe24621ce81ec5827caf0253cadb74709b061630e6b55e82371705932000602052614a14907f615f0f9e84155bea8cc509fe18befeb1baf65611e38a6ba60964480fb29dfd4461501d565b6001600160a01b03195f5160206152535f395f51905f5254165f5160206152535f395f51905f5255614d7c565b801580614e97575b614e6a575b614e218282614f7a565b9182614e2c57505090565b614a14915f527fc1f6fe24621ce81ec5827caf0253cadb74709b061630e6b55e823717059320006020526001600160a01b0360405f2091169061501d565b6001600160a01b03195f5160206152535f395f51905f5254165f5160206152535f395f51905f5255614e17565b506001600160a01b035f5160206152535f395f51905f5254166001600160a01b03831614614e12565b905f8091602081519101845af48080614f67575b15614ef45750506040513d81523d5f602083013e60203d82010160405290565b15614f2e576001600160a01b03907f9996b315000000000000000000000000000000000000000000000000000000005f521660045260245ffd5b3d15614f3f576040513d5f823e3d90fd5b7fd6bda275000000000000000000000000000000000000000000000000000000005f5260045ffd5b503d151580614ed45750813b1515614ed4565b805f525f5160206152335f395f51905f5260205260405f206001600160a01b0383165f5260205260ff60405f2054165f1461501757805f525f5160206152335f395f51905f5260205260405f206001600160a01b0383165f5260205260405f2060ff1981541690556001600160a01b03339216907ff6391f5c32d9c69d2a47ea670b442974b53935d1edc7fd64eb21e047a839171b5f80a4600190565b50505f90565b906001820191815f528260205260405f20548015155f146150f0575f1981018181116130e25782545f198101919082116130e2578181036150a5575b50505080548015615091575f1901906150728282614cac565b8154905f199060031b1b19169055555f526020525f6040812055600190565b634e487b7160e01b5f52603160045260245ffd5b6150db6150b56150c59386614cac565b90549060031b1c92839286614cac565b819391549060031b91821b915f19901b19161790565b90555f528360205260405f20555f8080615059565b505050505f90565b805f525f5160206152335f395f51905f5260205260405f206001600160a01b0383165f5260205260ff60405f205416155f1461501757805f525f5160206152335f395f51905f5260205260405f206001600160a01b0383165f5260205260405f20600160ff198254161790556001600160a01b03339216907f2f8788117e7eff1d82e926ec794901d17c78024a50270940304540a733656f0d5f80a4600190565b6001810190825f528160205260405f2054155f146151eb578054680100000000000000008110156129a4576151d86150c5826001879401855584614cac565b905554915f5260205260405f2055600190565b5050505f9056fe1c5b71e390fbdf7fac18e3e48a1419f2be3ccff361a50679abe951dcb20a4f00eef3dac4538c82c8ace4063ab0acd2d15cdb5883aa1dff7c2673abb3d869840002dd7bc7dec4dceedda775e58dd541e08a116c6c53815c0bd028192f7b626800eef3dac4538c82c8ace4063ab0acd2d15cdb5883aa1dff7c2673abb3d8698401f0c57e16840df040f15088dc2f81fe391c3923bec73e23a9662efc9c229c6a00' as const

/** The code that runs, with zeros in the place of its immutables: 32 bytes at each offset. */
export const coinRuntime = {
  hash: '0x60461b6e31889f8cef95e8322ce265a904d604076fd182d760d16d1171d2d9ff',
  size: 21107,
  immutableOffsets: [6000, 6160],
} as const
