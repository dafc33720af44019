// Generated from contracts/src/Settlement.sol by contracts/tools/generate.ts. Do not edit.

/** The ABI of contracts/src/Settlement.sol. */
export const settlementAbi = [
  {
    "inputs": [
      {
        "internalType": "enum Kind",
        "name": "kind",
        "type": "uint8"
      },
      {
        "internalType": "uint64",
        "name": "capacity",
        "type": "uint64"
      },
      {
        "internalType": "uint64",
        "name": "refillPerSecond",
        "type": "uint64"
      }
    ],
    "name": "AboveCeiling",
    "type": "error"
  },
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
        "internalType": "address",
        "name": "caller",
        "type": "address"
      }
    ],
    "name": "CallerHasCode",
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
    "inputs": [],
    "name": "InvalidInitialization",
    "type": "error"
  },
  {
    "inputs": [
      {
        "internalType": "enum Kind",
        "name": "kind",
        "type": "uint8"
      },
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
    "name": "LimitExceeded",
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
        "name": "batchId",
        "type": "uint256"
      },
      {
        "internalType": "uint256",
        "name": "next",
        "type": "uint256"
      }
    ],
    "name": "NotNextBatch",
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
    "name": "SettlementPaused",
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
    "inputs": [
      {
        "internalType": "bytes32",
        "name": "previous",
        "type": "bytes32"
      },
      {
        "internalType": "bytes32",
        "name": "runningHash",
        "type": "bytes32"
      }
    ],
    "name": "WrongPrevious",
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
        "internalType": "bytes24",
        "name": "digest",
        "type": "bytes24"
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
        "indexed": true,
        "internalType": "enum Kind",
        "name": "kind",
        "type": "uint8"
      },
      {
        "indexed": false,
        "internalType": "uint64",
        "name": "capacity",
        "type": "uint64"
      },
      {
        "indexed": false,
        "internalType": "uint64",
        "name": "refillPerSecond",
        "type": "uint64"
      }
    ],
    "name": "CeilingSet",
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
        "indexed": true,
        "internalType": "enum Kind",
        "name": "kind",
        "type": "uint8"
      },
      {
        "indexed": false,
        "internalType": "uint64",
        "name": "capacity",
        "type": "uint64"
      },
      {
        "indexed": false,
        "internalType": "uint64",
        "name": "refillPerSecond",
        "type": "uint64"
      }
    ],
    "name": "LimitSet",
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
    "name": "LIMITER_ROLE",
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
    "name": "SIGNER_ROLE",
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
        "internalType": "enum Kind",
        "name": "kind",
        "type": "uint8"
      }
    ],
    "name": "availableOf",
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
        "internalType": "enum Kind",
        "name": "kind",
        "type": "uint8"
      }
    ],
    "name": "ceilingOf",
    "outputs": [
      {
        "components": [
          {
            "internalType": "uint64",
            "name": "capacity",
            "type": "uint64"
          },
          {
            "internalType": "uint64",
            "name": "refillPerSecond",
            "type": "uint64"
          }
        ],
        "internalType": "struct Limited.Limit",
        "name": "",
        "type": "tuple"
      }
    ],
    "stateMutability": "view",
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
    "inputs": [],
    "name": "head",
    "outputs": [
      {
        "internalType": "uint256",
        "name": "lastBatchId",
        "type": "uint256"
      },
      {
        "internalType": "bytes32",
        "name": "runningHash",
        "type": "bytes32"
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
            "internalType": "address",
            "name": "coin",
            "type": "address"
          },
          {
            "internalType": "address",
            "name": "admin",
            "type": "address"
          },
          {
            "internalType": "address[]",
            "name": "signers",
            "type": "address[]"
          },
          {
            "internalType": "address[]",
            "name": "limiters",
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
            "components": [
              {
                "internalType": "uint64",
                "name": "capacity",
                "type": "uint64"
              },
              {
                "internalType": "uint64",
                "name": "refillPerSecond",
                "type": "uint64"
              }
            ],
            "internalType": "struct Limited.Limit[3]",
            "name": "limits",
            "type": "tuple[3]"
          },
          {
            "components": [
              {
                "internalType": "uint64",
                "name": "capacity",
                "type": "uint64"
              },
              {
                "internalType": "uint64",
                "name": "refillPerSecond",
                "type": "uint64"
              }
            ],
            "internalType": "struct Limited.Limit[3]",
            "name": "ceilings",
            "type": "tuple[3]"
          }
        ],
        "internalType": "struct Settlement.Beginning",
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
        "internalType": "enum Kind",
        "name": "kind",
        "type": "uint8"
      }
    ],
    "name": "limitOf",
    "outputs": [
      {
        "components": [
          {
            "internalType": "uint64",
            "name": "capacity",
            "type": "uint64"
          },
          {
            "internalType": "uint64",
            "name": "refillPerSecond",
            "type": "uint64"
          }
        ],
        "internalType": "struct Limited.Limit",
        "name": "",
        "type": "tuple"
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
        "internalType": "bytes24",
        "name": "digest",
        "type": "bytes24"
      },
      {
        "internalType": "uint64",
        "name": "blockNumber",
        "type": "uint64"
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
        "internalType": "enum Kind",
        "name": "kind",
        "type": "uint8"
      },
      {
        "components": [
          {
            "internalType": "uint64",
            "name": "capacity",
            "type": "uint64"
          },
          {
            "internalType": "uint64",
            "name": "refillPerSecond",
            "type": "uint64"
          }
        ],
        "internalType": "struct Limited.Limit",
        "name": "ceiling",
        "type": "tuple"
      }
    ],
    "name": "setCeiling",
    "outputs": [],
    "stateMutability": "nonpayable",
    "type": "function"
  },
  {
    "inputs": [
      {
        "internalType": "enum Kind",
        "name": "kind",
        "type": "uint8"
      },
      {
        "components": [
          {
            "internalType": "uint64",
            "name": "capacity",
            "type": "uint64"
          },
          {
            "internalType": "uint64",
            "name": "refillPerSecond",
            "type": "uint64"
          }
        ],
        "internalType": "struct Limited.Limit",
        "name": "limit",
        "type": "tuple"
      }
    ],
    "name": "setLimit",
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
        "internalType": "bytes32",
        "name": "previous",
        "type": "bytes32"
      },
      {
        "internalType": "bytes",
        "name": "instructions",
        "type": "bytes"
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
export const settlementBytecode =
  '0x60a080604052346100c257306080525f5160206135f05f395f51905f525460ff8160401c166100b3576002600160401b03196001600160401b03821601610060575b60405161352990816100c78239608051818181611d350152611dfd0152f35b6001600160401b0319166001600160401b039081175f5160206135f05f395f51905f525581527fc7f505b2f371ae2175ee4913f4499e1f2633a7b5936321eed1cdaeb6115181d290602090a15f80610041565b63f92ee8a960e01b5f5260045ffd5b5f80fdfe6080806040526004361015610012575f80fd5b5f3560e01c90816301ffc9a7146124e157508063022d63fb146124c45780630aa6220b1461240657806311df9995146123c157806315838a3114612341578063248a9ca3146122f75780632f2ff15d1461229457806336568abe146121445780633f4ba83a1461201b5780634f1ef28614611dad57806352d1902d14611d1b5780635c975abb14611cda578063634e93da14611bc1578063649a5ec7146119b757806373eb88cb14611937578063811489e1146118a55780638456cb591461177857806384ef8ffc146117735780638da5cb5b146117735780638f7dcfa3146117115780639010d07c146116ae57806391d148541461164557806396935bb514611126578063a1ebf35d146110ec578063a1eda53c14611078578063a217fddf1461105e578063a3246ad314610f90578063ad3cb1cc14610f1a578063b3de421414610ee0578063bb79ea6a14610e49578063bdcd5d9214610de7578063beda413e14610777578063ca15c8731461072e578063cc8463c814610704578063cefc14291461062a578063cf6eefb7146105cc578063d547741f146104ee578063d602b9fd14610481578063e04b70fd1461036a578063e5711e8b14610262578063e63ab1e9146102285763fb1bb9de146101ea575f80fd5b34610224575f3660031901126102245760206040517f427da25fe773164f88948d3e215c94b6554e2ed5e5f203a821c9f2f6131cf75a8152f35b5f80fd5b34610224575f3660031901126102245760206040517f65d7a28e3265b37a6474929f336521b332c1681b933f6cb9f3376673440d862a8152f35b34610224576060366003190112610224576004356001600160a01b0381168082036102245761028f6125e5565b60443561029a6128d2565b6001600160a01b03604051927fa9059cbb000000000000000000000000000000000000000000000000000000005f521693846004528160245260205f60448180855af19060015f511482161561034b575b50826040521561031f57816020917f4143f7b5cb6ea007914c32b8a3e64cebc051d7f493fa0755454da1e47701e1259352a3005b827f5274afe7000000000000000000000000000000000000000000000000000000005f5260045260245ffd5b6001821516610361573b15153d151616856102eb565b833d5f823e3d90fd5b3461022457610378366126d1565b6103806128d2565b61038a8183612b8a565b61039382612746565b5467ffffffffffffffff8082169160401c1691604051926103b384612611565b828452602084019181835267ffffffffffffffff6103d0826128bd565b16841193841561045c575b9060209167ffffffffffffffff6103f1836128bd565b1610610442575b019067ffffffffffffffff61040c836128bd565b1610610426575b505061041b57005b610424916129ad565b005b61043867ffffffffffffffff916128bd565b1690528380610413565b67ffffffffffffffff610454826128bd565b1686526103f8565b93508067ffffffffffffffff61047560208094016128bd565b168311949091506103db565b34610224575f366003190112610224576104996128d2565b5f5160206134e95f395f51905f5280546001600160d01b0319811690915560a01c65ffffffffffff166104c857005b7f8886ebfc4259abdbc16601dd8fb5678e54878f47b3c34836cfc51154a96051095f80a1005b346102245760403660031901126102245760043561050a6125e5565b8115801580610595575b15610523575061042491612f45565b61056d5781610568610563610424945f527f02dd7bc7dec4dceedda775e58dd541e08a116c6c53815c0bd028192f7b626800602052600160405f20015490565b612921565b612f45565b7f3fc3c27a000000000000000000000000000000000000000000000000000000005f5260045ffd5b50335f9081527f75442b0a96088b5456bc4ed01394c96a4feec0f883c9494257d76b96ab1c9b6b602052604090205460ff16610514565b34610224575f36600319011261022457604065ffffffffffff6106115f5160206134e95f395f51905f52549065ffffffffffff6001600160a01b0383169260a01c1690565b6001600160a01b03849392935193168352166020820152f35b34610224575f366003190112610224575f5160206134e95f395f51905f52546001600160a01b031633036106f1575f5160206134e95f395f51905f525460a081901c65ffffffffffff16906001600160a01b0316811580156106e7575b6106d4576106b5906106af6001600160a01b035f5160206135095f395f51905f525416612e85565b506130b5565b505f5160206134e95f395f51905f5280546001600160d01b0319169055005b506319ca5ebb60e01b5f5260045260245ffd5b5042821015610687565b636116401160e11b5f523360045260245ffd5b34610224575f36600319011261022457602061071e61286c565b65ffffffffffff60405191168152f35b34610224576020366003190112610224576004355f527fc1f6fe24621ce81ec5827caf0253cadb74709b061630e6b55e82371705932000602052602060405f2054604051908152f35b346102245760603660031901126102245760243560443560043567ffffffffffffffff821161022457366023830112156102245781600401359167ffffffffffffffff8311610224576024810190602484369201011161022457335f9081527fed82e8858f919528fd86c81da277f0812ef4876fae8bc5251645af9640d3f49f602052604090205460ff1615610db057323314801590610da6575b610d7a5760ff7fcd5ed15c6e187e77e9aee88184c21f4f2182ab5827cb3b7e07fbedcd63f033005416610d525761084a36848361269b565b67ffffffffffffffff19906020815191012016937f13fd32f4d643b54f6efd355dff2fda4e2df7912f8224524549c0c35254a87d015460018101809111610bcd57808403610d23577f13fd32f4d643b54f6efd355dff2fda4e2df7912f8224524549c0c35254a87d0254808303610cf457509184915f937f13fd32f4d643b54f6efd355dff2fda4e2df7912f8224524549c0c35254a87d0155604051602081019182528760408201526038815261090260588261265d565b5190207f13fd32f4d643b54f6efd355dff2fda4e2df7912f8224524549c0c35254a87d02556001600160a01b037f4de9dd434774d270f73041439873e4fe463cf48c68184ed1cf0b9021a2d1f2005416908360446040518098819682957f09c5eabe00000000000000000000000000000000000000000000000000000000845260206004850152816024850152848401378181018301849052601f01601f191681010301925af1918215610ce9575f92610bf2575b505f5b6003811015610a285760208301518160051b01516109e0816109db84612746565b612d82565b9190156109f15750506001016109ba565b610a1d837febdcda04000000000000000000000000000000000000000000000000000000005f5261299f565b60245260445260645ffd5b509181516001604051602081019084825277ffffffffffffffffffffffffffffffffffffffffffffffff194360c01b16603882015260208152610a6c60408261265d565b5190519060208110610be1575b5060405192610a8784612611565b600160ff1b17835260208301908152855f527f13fd32f4d643b54f6efd355dff2fda4e2df7912f8224524549c0c35254a87d0060205260405f209251835551910155815160018101809111610bcd57604083015190600182511b03610b1b575b506040907f6925304233ea83e51492a0523cf4d7fdb2a22aef1857827cbf261979d68946e2925182519182526020820152a2005b905f5b8251811015610bc3577fff00000000000000000000000000000000000000000000000000000000000000610b528285612c5a565b5116610b61575b600101610b1e565b610b6b8184612c5a565b5160f81c906006821015610baf5780867fa845394a25f519dff48a412292e8c6ac46771f8452736b804febbb30873ea3b96020600195604051908152a39050610b59565b634e487b7160e01b5f52602160045260245ffd5b5090506040610ae7565b634e487b7160e01b5f52601160045260245ffd5b5f199060200360031b1b1686610a79565b9091503d805f833e610c04818361265d565b8101906020818303126102245780519067ffffffffffffffff821161022457019060a0828203126102245760405191610c3c83612641565b8051835281603f8201121561022457604051610c5781612641565b8060808301918483116102245760208401905b838210610cd95750506020850152519067ffffffffffffffff8211610224570181601f8201121561022457805190610ca18261267f565b92610caf604051948561265d565b8284526020838301011161022457815f9260208093018386015e83010152604082015290836109b7565b8151815260209182019101610c6a565b6040513d5f823e3d90fd5b827fdec38460000000000000000000000000000000000000000000000000000000005f5260045260245260445ffd5b837fc504a20f000000000000000000000000000000000000000000000000000000005f5260045260245260445ffd5b7f4c211ccd000000000000000000000000000000000000000000000000000000005f5260045ffd5b7fb687c2c0000000000000000000000000000000000000000000000000000000005f523360045260245ffd5b50333b1515610812565b63e2517d3f60e01b5f52336004527fe2f4eaae4a9751e85a3e4a7b9587827a877f29914755229b07a7b2da98285f7060245260445ffd5b3461022457602036600319011261022457600435600381101561022457610e0d90612746565b610e2267ffffffffffffffff82541691612d2c565b9081811115610e3f57602091610e3791612d1f565b604051908152f35b505060205f610e37565b34610224576020366003190112610224576004355f527f13fd32f4d643b54f6efd355dff2fda4e2df7912f8224524549c0c35254a87d00602052608060405f2067ffffffffffffffff600182549201547f7fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff60405193600160ff1b811615158552166020840152811981166040840152166060820152f35b34610224575f3660031901126102245760206040517ff7b34cf87af24ce01c1aff9f518b133989851466d994e0016fc14651fa02826c8152f35b34610224575f366003190112610224576040805190610f39818361265d565b6005825260208201917f352e302e3000000000000000000000000000000000000000000000000000000083528151928391602083525180918160208501528484015e5f828201840152601f01601f19168101030190f35b34610224576020366003190112610224576004355f527fc1f6fe24621ce81ec5827caf0253cadb74709b061630e6b55e8237170593200060205260405f20604051806020835491828152019081935f5260205f20905f5b8181106110485750505081610ffd91038261265d565b604051918291602083019060208452518091526040830191905f5b818110611026575050500390f35b82516001600160a01b0316845285945060209384019390920191600101611018565b8254845260209093019260019283019201610fe7565b34610224575f3660031901126102245760206040515f8152f35b34610224575f366003190112610224575f5160206135095f395f51905f52548060d01c90811515806110e2575b156110d85760a01c65ffffffffffff165b6040805165ffffffffffff9283168152929091166020830152819081015b0390f35b50505f5f906110b6565b50428210156110a5565b34610224575f3660031901126102245760206040517fe2f4eaae4a9751e85a3e4a7b9587827a877f29914755229b07a7b2da98285f708152f35b346102245760203660031901126102245760043567ffffffffffffffff811161022457806004016102406003198336030112610224577ff0c57e16840df040f15088dc2f81fe391c3923bec73e23a9662efc9c229c6a005467ffffffffffffffff60ff8260401c161591168015908161163d575b6001149081611633575b15908161162a575b506116025780600167ffffffffffffffff197ff0c57e16840df040f15088dc2f81fe391c3923bec73e23a9662efc9c229c6a005416177ff0c57e16840df040f15088dc2f81fe391c3923bec73e23a9662efc9c229c6a00556115a2575b6001600160a01b0361121a836127fd565b1615611360576001600160a01b03611231836127fd565b166001600160a01b03197f4de9dd434774d270f73041439873e4fe463cf48c68184ed1cf0b9021a2d1f2005416177f4de9dd434774d270f73041439873e4fe463cf48c68184ed1cf0b9021a2d1f2005561128d602484016127fd565b61129a6084850184612811565b9490936112aa60a4830182612811565b9490936112b5612cc8565b6112bd612cc8565b6112c5612cc8565b6001600160a01b0381161561158f57611304906001600160d01b035f5160206134e95f395f51905f5254165f5160206134e95f395f51905f52556130b5565b505f5b878110156113885761131d8160051b88016127fd565b906001600160a01b03821615611360576113596001927f65d7a28e3265b37a6474929f336521b332c1681b933f6cb9f3376673440d862a613177565b5001611307565b7fd92e233d000000000000000000000000000000000000000000000000000000005f5260045ffd5b505f5b858110156113e4576113a18160051b86016127fd565b906001600160a01b03821615611360576113dd6001927f427da25fe773164f88948d3e215c94b6554e2ed5e5f203a821c9f2f6131cf75a613177565b500161138b565b506113f26044840183612811565b9390925f5b858110156114505761140d8160051b86016127fd565b906001600160a01b03821615611360576114496001927fe2f4eaae4a9751e85a3e4a7b9587827a877f29914755229b07a7b2da98285f70613177565b50016113f7565b5061145f906064830190612811565b9290915f5b848110156114bd5761147a8160051b85016127fd565b906001600160a01b03821615611360576114b66001927ff7b34cf87af24ce01c1aff9f518b133989851466d994e0016fc14651fa02826c613177565b5001611464565b5060c481019190610184015f5b600381101561150b576001906114e96114e38285612847565b82612b8a565b6115056114ff366114fa8489612847565b6127c7565b826129ad565b016114ca565b8261151257005b68ff0000000000000000197ff0c57e16840df040f15088dc2f81fe391c3923bec73e23a9662efc9c229c6a0054167ff0c57e16840df040f15088dc2f81fe391c3923bec73e23a9662efc9c229c6a00557fc7f505b2f371ae2175ee4913f4499e1f2633a7b5936321eed1cdaeb6115181d2602060405160018152a1005b636116401160e11b5f525f60045260245ffd5b6801000000000000000068ff0000000000000000197ff0c57e16840df040f15088dc2f81fe391c3923bec73e23a9662efc9c229c6a005416177ff0c57e16840df040f15088dc2f81fe391c3923bec73e23a9662efc9c229c6a0055611209565b7ff92ee8a9000000000000000000000000000000000000000000000000000000005f5260045ffd5b905015846111ac565b303b1591506111a4565b82915061119a565b346102245760403660031901126102245761165e6125e5565b6004355f527f02dd7bc7dec4dceedda775e58dd541e08a116c6c53815c0bd028192f7b6268006020526001600160a01b0360405f2091165f52602052602060ff60405f2054166040519015158152f35b34610224576040366003190112610224576004355f527fc1f6fe24621ce81ec5827caf0253cadb74709b061630e6b55e8237170593200060205260206001600160a01b0361170160243560405f20612cb3565b90549060031b1c16604051908152f35b34610224575f3660031901126102245760407f13fd32f4d643b54f6efd355dff2fda4e2df7912f8224524549c0c35254a87d01547f13fd32f4d643b54f6efd355dff2fda4e2df7912f8224524549c0c35254a87d025482519182526020820152f35b6126fc565b34610224575f36600319011261022457335f9081527f75442b0a96088b5456bc4ed01394c96a4feec0f883c9494257d76b96ab1c9b6b602052604090205460ff161561186e577fcd5ed15c6e187e77e9aee88184c21f4f2182ab5827cb3b7e07fbedcd63f033005460ff811680156117ec57005b6118465760019060ff1916177fcd5ed15c6e187e77e9aee88184c21f4f2182ab5827cb3b7e07fbedcd63f03300557f62e78cea01bee320cd4e420270b5ea74000d11b0c9f74754ebdbfc544b05a2586020604051338152a1005b7fd93c0665000000000000000000000000000000000000000000000000000000005f5260045ffd5b63e2517d3f60e01b5f52336004527f65d7a28e3265b37a6474929f336521b332c1681b933f6cb9f3376673440d862a60245260445ffd5b34610224576118b3366126d1565b335f9081527f3a54504dd545374f5b75a6bb34bdebff7ddacaeb330bf31ad39f8c5f957010f0602052604090205490919060ff1615611900576118fa6104249236906127c7565b906129ad565b63e2517d3f60e01b5f52336004527ff7b34cf87af24ce01c1aff9f518b133989851466d994e0016fc14651fa02826c60245260445ffd5b34610224576020366003190112610224576004356003811015610224576119696110d49161196361272e565b5061277c565b67ffffffffffffffff6040519161197f83612611565b54818116835260401c16602082015260405191829182919091602067ffffffffffffffff816040840195828151168552015116910152565b346102245760203660031901126102245760043565ffffffffffff811690818103610224576119e46128d2565b6119ed42612c6b565b9165ffffffffffff6119fd61286c565b1680821115611b8757507ff1038c18cf84a56e432fdbfaf746924b7ea511dfe03a6506a0ceba4888788d9b9265ffffffffffff826206978080611a4a951091180262069780181690612981565b905f5160206135095f395f51905f52548060d01c80611b17575b5050611abd817fffffffffffff000000000000ffffffffffffffffffffffffffffffffffffffff65ffffffffffff60a01b5f5160206135095f395f51905f52549260a01b169116175f5160206135095f395f51905f5255565b611afa826001600160d01b036001600160d01b03195f5160206135095f395f51905f52549260d01b169116175f5160206135095f395f51905f5255565b6040805165ffffffffffff928316815292909116602083015290a1005b421115611b5d576001600160d01b036001600160d01b03195f5160206134e95f395f51905f52549260301b169116175f5160206134e95f395f51905f52555b8380611a64565b507f2b1fa2edafe6f7b9e97c1a9e0c3660e645beb2dcaa2d45bdbf9beaf5472e1ec55f80a1611b56565b0365ffffffffffff8111610bcd577ff1038c18cf84a56e432fdbfaf746924b7ea511dfe03a6506a0ceba4888788d9b92611a4a9190612981565b3461022457602036600319011261022457611bda6125fb565b611be26128d2565b7f3377dc44241e779dd06afab5b788a35ca5f3b778836e2990bdb26a2a4b2e5ed66020611c1f611c1142612c6b565b611c1961286c565b90612981565b65ffffffffffff6001600160a01b03611c5a5f5160206134e95f395f51905f52549065ffffffffffff6001600160a01b0383169260a01c1690565b96905016945f5160206134e95f395f51905f5254866001600160d01b031965ffffffffffff60a01b8660a01b16921617175f5160206134e95f395f51905f525516611cb1575b65ffffffffffff60405191168152a2005b7f8886ebfc4259abdbc16601dd8fb5678e54878f47b3c34836cfc51154a96051095f80a1611ca0565b34610224575f36600319011261022457602060ff7fcd5ed15c6e187e77e9aee88184c21f4f2182ab5827cb3b7e07fbedcd63f0330054166040519015158152f35b34610224575f366003190112610224576001600160a01b037f0000000000000000000000000000000000000000000000000000000000000000163003611d855760206040517f360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc8152f35b7fe07c8dba000000000000000000000000000000000000000000000000000000005f5260045ffd5b604036600319011261022457611dc16125fb565b60243567ffffffffffffffff8111610224573660238201121561022457611df290369060248160040135910161269b565b906001600160a01b037f000000000000000000000000000000000000000000000000000000000000000016803014908115611fe6575b50611d8557611e356128d2565b6001600160a01b038116916040517f52d1902d000000000000000000000000000000000000000000000000000000008152602081600481875afa5f9181611fb2575b50611e8f5783634c9c8ce360e01b5f5260045260245ffd5b807f360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc859203611f875750823b15611f7557806001600160a01b03197f360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc5416177f360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc557fbc7cd75a20ee27fd9adebab32041f755214dbc6bffa90cc0225b39da2e5c2d3b5f80a2805115611f445761042491612ffb565b505034611f4d57005b7fb398979f000000000000000000000000000000000000000000000000000000005f5260045ffd5b634c9c8ce360e01b5f5260045260245ffd5b7faa1d49a4000000000000000000000000000000000000000000000000000000005f5260045260245ffd5b9091506020813d602011611fde575b81611fce6020938361265d565b8101031261022457519085611e77565b3d9150611fc1565b90506001600160a01b037f360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc5416141583611e28565b34610224575f36600319011261022457335f9081527f475b312747b0505dfd322c59063ca43b615bb2e6d10fdf52fb58877bbcde4011602052604090205460ff161561210d577fcd5ed15c6e187e77e9aee88184c21f4f2182ab5827cb3b7e07fbedcd63f033005460ff81168061208e57005b156120e55760ff19167fcd5ed15c6e187e77e9aee88184c21f4f2182ab5827cb3b7e07fbedcd63f03300557f5db9ee0a495bf2e6ff9c91a7834c1ba4fdd244a5e8aa4e537bd38aeae4b073aa6020604051338152a1005b7f8dfc202b000000000000000000000000000000000000000000000000000000005f5260045ffd5b63e2517d3f60e01b5f52336004527f427da25fe773164f88948d3e215c94b6554e2ed5e5f203a821c9f2f6131cf75a60245260445ffd5b34610224576040366003190112610224576004356121606125e5565b81158061226b575b6121ae575b336001600160a01b038216036121865761042491612f45565b7f6697b232000000000000000000000000000000000000000000000000000000005f5260045ffd5b5f5160206134e95f395f51905f525465ffffffffffff60a082901c16906001600160a01b03161580159061225b575b8015612249575b61222e57507fffffffffffff000000000000ffffffffffffffffffffffffffffffffffffffff5f5160206134e95f395f51905f5254165f5160206134e95f395f51905f525561216d565b65ffffffffffff906319ca5ebb60e01b5f521660045260245ffd5b504265ffffffffffff821610156121e4565b5065ffffffffffff8116156121dd565b506001600160a01b035f5160206135095f395f51905f5254166001600160a01b03821614612168565b34610224576040366003190112610224576004356122b06125e5565b811561056d57816122f2610563610424945f527f02dd7bc7dec4dceedda775e58dd541e08a116c6c53815c0bd028192f7b626800602052600160405f20015490565b613177565b34610224576020366003190112610224576020610e376004355f527f02dd7bc7dec4dceedda775e58dd541e08a116c6c53815c0bd028192f7b626800602052600160405f20015490565b34610224576020366003190112610224576004356003811015610224576123736110d49161236d61272e565b50612746565b5467ffffffffffffffff6040519161238a83612611565b818116835260401c16602082015260405191829182919091602067ffffffffffffffff816040840195828151168552015116910152565b34610224575f3660031901126102245760206001600160a01b037f4de9dd434774d270f73041439873e4fe463cf48c68184ed1cf0b9021a2d1f2005416604051908152f35b34610224575f3660031901126102245761241e6128d2565b5f5160206135095f395f51905f52548060d01c80612454575b5f5160206135095f395f51905f5280546001600160a01b03169055005b42111561249a576001600160d01b036001600160d01b03195f5160206134e95f395f51905f52549260301b169116175f5160206134e95f395f51905f52555b8080612437565b507f2b1fa2edafe6f7b9e97c1a9e0c3660e645beb2dcaa2d45bdbf9beaf5472e1ec55f80a1612493565b34610224575f366003190112610224576020604051620697808152f35b3461022457602036600319011261022457600435907fffffffff00000000000000000000000000000000000000000000000000000000821680920361022457817f5a05180f0000000000000000000000000000000000000000000000000000000060209314908115612555575b5015158152f35b7f3149878600000000000000000000000000000000000000000000000000000000811491508115612588575b508361254e565b7f7965db0b000000000000000000000000000000000000000000000000000000008114915081156125bb575b5083612581565b7f01ffc9a700000000000000000000000000000000000000000000000000000000915014836125b4565b602435906001600160a01b038216820361022457565b600435906001600160a01b038216820361022457565b6040810190811067ffffffffffffffff82111761262d57604052565b634e487b7160e01b5f52604160045260245ffd5b6060810190811067ffffffffffffffff82111761262d57604052565b90601f8019910116810190811067ffffffffffffffff82111761262d57604052565b67ffffffffffffffff811161262d57601f01601f191660200190565b9291926126a78261267f565b916126b5604051938461265d565b829481845281830111610224578281602093845f960137010152565b9060606003198301126102245760043560038110156102245760409092602319011261022457602490565b34610224575f3660031901126102245760206001600160a01b035f5160206135095f395f51905f525416604051908152f35b6040519061273b82612611565b5f6020838281520152565b6003811015610baf575f527f2404a1879013120371c6e44eaacf5f1c65e7eac75b9cf1b49b624415026fd00060205260405f2090565b6003811015610baf575f527f2404a1879013120371c6e44eaacf5f1c65e7eac75b9cf1b49b624415026fd00160205260405f2090565b359067ffffffffffffffff8216820361022457565b9190826040910312610224576040516127df81612611565b60206127f88183956127f0816127b2565b8552016127b2565b910152565b356001600160a01b03811681036102245790565b903590601e1981360301821215610224570180359067ffffffffffffffff821161022457602001918160051b3603831361022457565b9060038110156128585760061b0190565b634e487b7160e01b5f52603260045260245ffd5b5f5160206135095f395f51905f52548060d01c80151590816128b3575b501561289d5760a01c65ffffffffffff1690565b505f5160206134e95f395f51905f525460d01c90565b905042115f612889565b3567ffffffffffffffff811681036102245790565b335f9081527fb7db2dd08fcb62d0c9e08c51941cae53c267786a0b75803fb7960902fc8ef97d602052604090205460ff161561290a57565b63e2517d3f60e01b5f52336004525f60245260445ffd5b805f527f02dd7bc7dec4dceedda775e58dd541e08a116c6c53815c0bd028192f7b62680060205260405f206001600160a01b0333165f5260205260ff60405f2054161561296b5750565b63e2517d3f60e01b5f523360045260245260445ffd5b9065ffffffffffff8091169116019065ffffffffffff8211610bcd57565b6003811015610baf57600452565b9060206129b98361277c565b604051906129c682612611565b549067ffffffffffffffff8083169283835260401c1692839101528067ffffffffffffffff845116118015612b73575b612b4757505067ffffffffffffffff80612a0f84612746565b92612af2828251166020830195848088511692612a7782612a2f85612d2c565b85547fffffffffffffffff0000000000000000ffffffffffffffffffffffffffffffff16911660801b77ffffffffffffffff0000000000000000000000000000000016178455565b825477ffffffffffffffffffffffffffffffffffffffffffffffff1642831660c01b77ffffffffffffffffffffffffffffffffffffffffffffffff1916178355168519825416178155906fffffffffffffffff0000000000000000196fffffffffffffffff000000000000000083549260401b169116179055565b51169151166003831015610baf576040805167ffffffffffffffff93841681529190921660208201527f1b5c680dd19befdf0f6ca0107480dd0b75e58146dbe0f69d49240ef8b2fada1c91819081015b0390a2565b610a1d847f1370b311000000000000000000000000000000000000000000000000000000005f5261299f565b508167ffffffffffffffff602085015116116129f6565b90612c0b612c05612b9a8461277c565b9267ffffffffffffffff612bad826128bd565b1667ffffffffffffffff19855416178455612c006020820194612bcf866128bd565b6fffffffffffffffff0000000000000000196fffffffffffffffff000000000000000083549260401b169116179055565b6128bd565b916128bd565b6003831015610baf576040805167ffffffffffffffff93841681529190921660208201527f888cd3a315a58464a925ee9fa6855f9cc3d3be82df9122b734d246f66c52a1bd9181908101612b42565b908151811015612858570160200190565b65ffffffffffff8111612c835765ffffffffffff1690565b7f6dfcc650000000000000000000000000000000000000000000000000000000005f52603060045260245260445ffd5b8054821015612858575f5260205f2001905f90565b60ff7ff0c57e16840df040f15088dc2f81fe391c3923bec73e23a9662efc9c229c6a005460401c1615612cf757565b7fd7e6bcf8000000000000000000000000000000000000000000000000000000005f5260045ffd5b91908203918211610bcd57565b54612d3a8160c01c42612d1f565b9067ffffffffffffffff8160401c1691828102928184041490151715610bcd5760801c67ffffffffffffffff169080821115612d7c57612d7991612d1f565b90565b50505f90565b9190918215612e7c57612d9481612d2c565b9067ffffffffffffffff815416828082115f14612e7357612db491612d1f565b935b84808211612e6957508201809211610bcd57612e2367ffffffffffffffff612e63931682907fffffffffffffffff0000000000000000ffffffffffffffffffffffffffffffff77ffffffffffffffff0000000000000000000000000000000083549260801b169116179055565b805477ffffffffffffffffffffffffffffffffffffffffffffffff164260c01b77ffffffffffffffffffffffffffffffffffffffffffffffff1916179055565b60019190565b94505050505f9190565b50505f93612db6565b50600191505f90565b612eb96001600160a01b035f5160206135095f395f51905f525416916001600160a01b038116928314612f18575b5f61322a565b9081612ec3575090565b5f80527fc1f6fe24621ce81ec5827caf0253cadb74709b061630e6b55e82371705932000602052612f14907f615f0f9e84155bea8cc509fe18befeb1baf65611e38a6ba60964480fb29dfd446132ed565b5090565b6001600160a01b03195f5160206135095f395f51905f5254165f5160206135095f395f51905f5255612eb3565b801580612fd2575b612fa5575b612f5c828261322a565b9182612f6757505090565b612f14915f527fc1f6fe24621ce81ec5827caf0253cadb74709b061630e6b55e823717059320006020526001600160a01b0360405f209116906132ed565b6001600160a01b03195f5160206135095f395f51905f5254165f5160206135095f395f51905f5255612f52565b506001600160a01b035f5160206135095f395f51905f5254166001600160a01b03831614612f4d565b905f8091602081519101845af480806130a2575b1561302f5750506040513d81523d5f602083013e60203d82010160405290565b15613069576001600160a01b03907f9996b315000000000000000000000000000000000000000000000000000000005f521660045260245ffd5b3d1561307a576040513d5f823e3d90fd5b7fd6bda275000000000000000000000000000000000000000000000000000000005f5260045ffd5b503d15158061300f5750813b151561300f565b6001600160a01b035f5160206135095f395f51905f52541661056d57613109816001600160a01b03166001600160a01b03195f5160206135095f395f51905f525416175f5160206135095f395f51905f5255565b613113815f6133c8565b908161311d575090565b5f80527fc1f6fe24621ce81ec5827caf0253cadb74709b061630e6b55e82371705932000602052612f14906001600160a01b03167f615f0f9e84155bea8cc509fe18befeb1baf65611e38a6ba60964480fb29dfd4461348f565b80156131d1575b61318882826133c8565b918261319357505090565b612f14915f527fc1f6fe24621ce81ec5827caf0253cadb74709b061630e6b55e823717059320006020526001600160a01b0360405f2091169061348f565b6001600160a01b035f5160206135095f395f51905f52541661056d57613225826001600160a01b03166001600160a01b03195f5160206135095f395f51905f525416175f5160206135095f395f51905f5255565b61317e565b805f527f02dd7bc7dec4dceedda775e58dd541e08a116c6c53815c0bd028192f7b62680060205260405f206001600160a01b0383165f5260205260ff60405f2054165f14612d7c57805f527f02dd7bc7dec4dceedda775e58dd541e08a116c6c53815c0bd028192f7b62680060205260405f206001600160a01b0383165f5260205260405f2060ff1981541690556001600160a01b03339216907ff6391f5c32d9c69d2a47ea670b442974b53935d1edc7fd64eb21e047a839171b5f80a4600190565b906001820191815f528260205260405f20548015155f146133c0575f198101818111610bcd5782545f19810191908211610bcd57818103613375575b50505080548015613361575f1901906133428282612cb3565b8154905f199060031b1b19169055555f526020525f6040812055600190565b634e487b7160e01b5f52603160045260245ffd5b6133ab6133856133959386612cb3565b90549060031b1c92839286612cb3565b819391549060031b91821b915f19901b19161790565b90555f528360205260405f20555f8080613329565b505050505f90565b805f527f02dd7bc7dec4dceedda775e58dd541e08a116c6c53815c0bd028192f7b62680060205260405f206001600160a01b0383165f5260205260ff60405f205416155f14612d7c57805f527f02dd7bc7dec4dceedda775e58dd541e08a116c6c53815c0bd028192f7b62680060205260405f206001600160a01b0383165f5260205260405f20600160ff198254161790556001600160a01b03339216907f2f8788117e7eff1d82e926ec794901d17c78024a50270940304540a733656f0d5f80a4600190565b6001810190825f528160205260405f2054155f146134e15780546801000000000000000081101561262d576134ce613395826001879401855584612cb3565b905554915f5260205260405f2055600190565b5050505f9056feeef3dac4538c82c8ace4063ab0acd2d15cdb5883aa1dff7c2673abb3d8698400eef3dac4538c82c8ace4063ab0acd2d15cdb5883aa1dff7c2673abb3d8698401f0c57e16840df040f15088dc2f81fe391c3923bec73e23a9662efc9c229c6a00' as const

/** The code that runs, with zeros in the place of its immutables: 32 bytes at each offset. */
export const settlementRuntime = {
  hash: '0x063f309f1d5ebf742b8d66a62c1dbc9967111c28bb74216e9ac97039357cdf3a',
  size: 13609,
  immutableOffsets: [7477, 7677],
} as const
