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
  '0x60a080604052346100c257306080525f5160206134fd5f395f51905f525460ff8160401c166100b3576002600160401b03196001600160401b03821601610060575b60405161343690816100c78239608051818181611c6a0152611d320152f35b6001600160401b0319166001600160401b039081175f5160206134fd5f395f51905f525581527fc7f505b2f371ae2175ee4913f4499e1f2633a7b5936321eed1cdaeb6115181d290602090a15f80610041565b63f92ee8a960e01b5f5260045ffd5b5f80fdfe6080806040526004361015610012575f80fd5b5f3560e01c90816301ffc9a71461241657508063022d63fb146123f95780630aa6220b1461233b57806311df9995146122f657806315838a3114612276578063248a9ca31461222c5780632f2ff15d146121c957806336568abe146120795780633f4ba83a14611f505780634f1ef28614611ce257806352d1902d14611c505780635c975abb14611c0f578063634e93da14611af6578063649a5ec7146118ec57806373eb88cb1461186c578063811489e1146117da5780638456cb59146116ad57806384ef8ffc146116a85780638da5cb5b146116a85780638f7dcfa3146116465780639010d07c146115e357806391d148541461157a57806396935bb51461105b578063a1ebf35d14611021578063a1eda53c14610fad578063a217fddf14610f93578063a3246ad314610ec5578063ad3cb1cc14610e4f578063b3de421414610e15578063bb79ea6a14610d7e578063bdcd5d9214610d46578063beda413e14610710578063ca15c873146106c7578063cc8463c81461069d578063cefc1429146105c3578063cf6eefb714610565578063d547741f14610487578063d602b9fd1461041a578063e04b70fd1461036a578063e5711e8b14610262578063e63ab1e9146102285763fb1bb9de146101ea575f80fd5b34610224575f3660031901126102245760206040517f427da25fe773164f88948d3e215c94b6554e2ed5e5f203a821c9f2f6131cf75a8152f35b5f80fd5b34610224575f3660031901126102245760206040517f65d7a28e3265b37a6474929f336521b332c1681b933f6cb9f3376673440d862a8152f35b34610224576060366003190112610224576004356001600160a01b0381168082036102245761028f61251a565b60443561029a612807565b6001600160a01b03604051927fa9059cbb000000000000000000000000000000000000000000000000000000005f521693846004528160245260205f60448180855af19060015f511482161561034b575b50826040521561031f57816020917f4143f7b5cb6ea007914c32b8a3e64cebc051d7f493fa0755454da1e47701e1259352a3005b827f5274afe7000000000000000000000000000000000000000000000000000000005f5260045260245ffd5b6001821516610361573b15153d151616856102eb565b833d5f823e3d90fd5b346102245761037836612606565b90610381612807565b61038b8282612abf565b6103948161267b565b549067ffffffffffffffff82169267ffffffffffffffff806103d360208280806103bd886127f2565b16808b10818c180218169760401c1694016127f2565b168083108184180218169383149081159161040f575b506103f057005b61040d926040519261040184612546565b835260208301526128e2565b005b9050831415846103e9565b34610224575f36600319011261022457610432612807565b5f5160206133f65f395f51905f5280546001600160d01b0319811690915560a01c65ffffffffffff1661046157005b7f8886ebfc4259abdbc16601dd8fb5678e54878f47b3c34836cfc51154a96051095f80a1005b34610224576040366003190112610224576004356104a361251a565b811580158061052e575b156104bc575061040d91612e52565b61050657816105016104fc61040d945f527f02dd7bc7dec4dceedda775e58dd541e08a116c6c53815c0bd028192f7b626800602052600160405f20015490565b612856565b612e52565b7f3fc3c27a000000000000000000000000000000000000000000000000000000005f5260045ffd5b50335f9081527f75442b0a96088b5456bc4ed01394c96a4feec0f883c9494257d76b96ab1c9b6b602052604090205460ff166104ad565b34610224575f36600319011261022457604065ffffffffffff6105aa5f5160206133f65f395f51905f52549065ffffffffffff6001600160a01b0383169260a01c1690565b6001600160a01b03849392935193168352166020820152f35b34610224575f366003190112610224575f5160206133f65f395f51905f52546001600160a01b0316330361068a575f5160206133f65f395f51905f525460a081901c65ffffffffffff16906001600160a01b031681158015610680575b61066d5761064e906106486001600160a01b035f5160206134165f395f51905f525416612d92565b50612fc2565b505f5160206133f65f395f51905f5280546001600160d01b0319169055005b506319ca5ebb60e01b5f5260045260245ffd5b5042821015610620565b636116401160e11b5f523360045260245ffd5b34610224575f3660031901126102245760206106b76127a1565b65ffffffffffff60405191168152f35b34610224576020366003190112610224576004355f527fc1f6fe24621ce81ec5827caf0253cadb74709b061630e6b55e82371705932000602052602060405f2054604051908152f35b346102245760603660031901126102245760043560443560243567ffffffffffffffff821161022457366023830112156102245781600401359167ffffffffffffffff8311610224576024810190602484369201011161022457335f9081527fed82e8858f919528fd86c81da277f0812ef4876fae8bc5251645af9640d3f49f602052604090205460ff1615610d0f57323314801590610d05575b610cd95760ff7fcd5ed15c6e187e77e9aee88184c21f4f2182ab5827cb3b7e07fbedcd63f033005416610cb1576107e33684836125d0565b67ffffffffffffffff19906020815191012016917f13fd32f4d643b54f6efd355dff2fda4e2df7912f8224524549c0c35254a87d015460018101809111610ae457808603610c82577f13fd32f4d643b54f6efd355dff2fda4e2df7912f8224524549c0c35254a87d0254808303610c5357509184915f937f13fd32f4d643b54f6efd355dff2fda4e2df7912f8224524549c0c35254a87d0155604051602081019182528560408201526038815261089b605882612592565b5190207f13fd32f4d643b54f6efd355dff2fda4e2df7912f8224524549c0c35254a87d02556001600160a01b037f4de9dd434774d270f73041439873e4fe463cf48c68184ed1cf0b9021a2d1f2005416908360446040518098819682957f09c5eabe00000000000000000000000000000000000000000000000000000000845260206004850152816024850152848401378181018301849052601f01601f191681010301925af1918215610c48575f92610b51575b505f5b60038110156109c95760208301518160051b01516109708261267b565b61097a8282612cba565b15610989575050600101610953565b6109956109be91612b8f565b927febdcda04000000000000000000000000000000000000000000000000000000005f526128d4565b60245260445260645ffd5b508282516001604051602081019085825277ffffffffffffffffffffffffffffffffffffffffffffffff194360c01b16603882015260208152610a0d604082612592565b5190519060208110610b40575b5060405192610a2884612546565b600160ff1b17835260208301908152835f527f13fd32f4d643b54f6efd355dff2fda4e2df7912f8224524549c0c35254a87d0060205260405f2092518355519101556040830151915f5b8351811015610b0c57610a858185612bae565b5160f81c60018201808311610ae457610a9e9086612bae565b5160f81c6006811015610af8577fa845394a25f519dff48a412292e8c6ac46771f8452736b804febbb30873ea3b960208692604051908152a36002810180911115610a72575b634e487b7160e01b5f52601160045260245ffd5b634e487b7160e01b5f52602160045260245ffd5b5060407f6925304233ea83e51492a0523cf4d7fdb2a22aef1857827cbf261979d68946e291855182519182526020820152a2005b5f199060200360031b1b1686610a1a565b9091503d805f833e610b638183612592565b8101906020818303126102245780519067ffffffffffffffff821161022457019060a0828203126102245760405191610b9b83612576565b8051835281603f8201121561022457604051610bb681612576565b8060808301918483116102245760208401905b838210610c385750506020850152519067ffffffffffffffff8211610224570181601f8201121561022457805190610c00826125b4565b92610c0e6040519485612592565b8284526020838301011161022457815f9260208093018386015e8301015260408201529083610950565b8151815260209182019101610bc9565b6040513d5f823e3d90fd5b827fdec38460000000000000000000000000000000000000000000000000000000005f5260045260245260445ffd5b857fc504a20f000000000000000000000000000000000000000000000000000000005f5260045260245260445ffd5b7f4c211ccd000000000000000000000000000000000000000000000000000000005f5260045ffd5b7fb687c2c0000000000000000000000000000000000000000000000000000000005f523360045260245ffd5b50333b15156107ab565b63e2517d3f60e01b5f52336004527fe2f4eaae4a9751e85a3e4a7b9587827a877f29914755229b07a7b2da98285f7060245260445ffd5b3461022457602036600319011261022457600435600381101561022457610d76610d7160209261267b565b612b8f565b604051908152f35b34610224576020366003190112610224576004355f527f13fd32f4d643b54f6efd355dff2fda4e2df7912f8224524549c0c35254a87d00602052608060405f2067ffffffffffffffff600182549201547f7fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff60405193600160ff1b811615158552166020840152811981166040840152166060820152f35b34610224575f3660031901126102245760206040517ff7b34cf87af24ce01c1aff9f518b133989851466d994e0016fc14651fa02826c8152f35b34610224575f366003190112610224576040805190610e6e8183612592565b6005825260208201917f352e302e3000000000000000000000000000000000000000000000000000000083528151928391602083525180918160208501528484015e5f828201840152601f01601f19168101030190f35b34610224576020366003190112610224576004355f527fc1f6fe24621ce81ec5827caf0253cadb74709b061630e6b55e8237170593200060205260405f20604051806020835491828152019081935f5260205f20905f5b818110610f7d5750505081610f32910382612592565b604051918291602083019060208452518091526040830191905f5b818110610f5b575050500390f35b82516001600160a01b0316845285945060209384019390920191600101610f4d565b8254845260209093019260019283019201610f1c565b34610224575f3660031901126102245760206040515f8152f35b34610224575f366003190112610224575f5160206134165f395f51905f52548060d01c9081151580611017575b1561100d5760a01c65ffffffffffff165b6040805165ffffffffffff9283168152929091166020830152819081015b0390f35b50505f5f90610feb565b5042821015610fda565b34610224575f3660031901126102245760206040517fe2f4eaae4a9751e85a3e4a7b9587827a877f29914755229b07a7b2da98285f708152f35b346102245760203660031901126102245760043567ffffffffffffffff811161022457806004016102406003198336030112610224577ff0c57e16840df040f15088dc2f81fe391c3923bec73e23a9662efc9c229c6a005467ffffffffffffffff60ff8260401c1615911680159081611572575b6001149081611568575b15908161155f575b506115375780600167ffffffffffffffff197ff0c57e16840df040f15088dc2f81fe391c3923bec73e23a9662efc9c229c6a005416177ff0c57e16840df040f15088dc2f81fe391c3923bec73e23a9662efc9c229c6a00556114d7575b6001600160a01b0361114f83612732565b1615611295576001600160a01b0361116683612732565b166001600160a01b03197f4de9dd434774d270f73041439873e4fe463cf48c68184ed1cf0b9021a2d1f2005416177f4de9dd434774d270f73041439873e4fe463cf48c68184ed1cf0b9021a2d1f200556111c260248401612732565b6111cf6084850184612746565b9490936111df60a4830182612746565b9490936111ea612c1c565b6111f2612c1c565b6111fa612c1c565b6001600160a01b038116156114c457611239906001600160d01b035f5160206133f65f395f51905f5254165f5160206133f65f395f51905f5255612fc2565b505f5b878110156112bd576112528160051b8801612732565b906001600160a01b038216156112955761128e6001927f65d7a28e3265b37a6474929f336521b332c1681b933f6cb9f3376673440d862a613084565b500161123c565b7fd92e233d000000000000000000000000000000000000000000000000000000005f5260045ffd5b505f5b85811015611319576112d68160051b8601612732565b906001600160a01b03821615611295576113126001927f427da25fe773164f88948d3e215c94b6554e2ed5e5f203a821c9f2f6131cf75a613084565b50016112c0565b506113276044840183612746565b9390925f5b85811015611385576113428160051b8601612732565b906001600160a01b038216156112955761137e6001927fe2f4eaae4a9751e85a3e4a7b9587827a877f29914755229b07a7b2da98285f70613084565b500161132c565b50611394906064830190612746565b9290915f5b848110156113f2576113af8160051b8501612732565b906001600160a01b03821615611295576113eb6001927ff7b34cf87af24ce01c1aff9f518b133989851466d994e0016fc14651fa02826c613084565b5001611399565b5060c481019190610184015f5b60038110156114405760019061141e611418828561277c565b82612abf565b61143a6114343661142f848961277c565b6126fc565b826128e2565b016113ff565b8261144757005b68ff0000000000000000197ff0c57e16840df040f15088dc2f81fe391c3923bec73e23a9662efc9c229c6a0054167ff0c57e16840df040f15088dc2f81fe391c3923bec73e23a9662efc9c229c6a00557fc7f505b2f371ae2175ee4913f4499e1f2633a7b5936321eed1cdaeb6115181d2602060405160018152a1005b636116401160e11b5f525f60045260245ffd5b6801000000000000000068ff0000000000000000197ff0c57e16840df040f15088dc2f81fe391c3923bec73e23a9662efc9c229c6a005416177ff0c57e16840df040f15088dc2f81fe391c3923bec73e23a9662efc9c229c6a005561113e565b7ff92ee8a9000000000000000000000000000000000000000000000000000000005f5260045ffd5b905015846110e1565b303b1591506110d9565b8291506110cf565b346102245760403660031901126102245761159361251a565b6004355f527f02dd7bc7dec4dceedda775e58dd541e08a116c6c53815c0bd028192f7b6268006020526001600160a01b0360405f2091165f52602052602060ff60405f2054166040519015158152f35b34610224576040366003190112610224576004355f527fc1f6fe24621ce81ec5827caf0253cadb74709b061630e6b55e8237170593200060205260206001600160a01b0361163660243560405f20612c07565b90549060031b1c16604051908152f35b34610224575f3660031901126102245760407f13fd32f4d643b54f6efd355dff2fda4e2df7912f8224524549c0c35254a87d01547f13fd32f4d643b54f6efd355dff2fda4e2df7912f8224524549c0c35254a87d025482519182526020820152f35b612631565b34610224575f36600319011261022457335f9081527f75442b0a96088b5456bc4ed01394c96a4feec0f883c9494257d76b96ab1c9b6b602052604090205460ff16156117a3577fcd5ed15c6e187e77e9aee88184c21f4f2182ab5827cb3b7e07fbedcd63f033005460ff8116801561172157005b61177b5760019060ff1916177fcd5ed15c6e187e77e9aee88184c21f4f2182ab5827cb3b7e07fbedcd63f03300557f62e78cea01bee320cd4e420270b5ea74000d11b0c9f74754ebdbfc544b05a2586020604051338152a1005b7fd93c0665000000000000000000000000000000000000000000000000000000005f5260045ffd5b63e2517d3f60e01b5f52336004527f65d7a28e3265b37a6474929f336521b332c1681b933f6cb9f3376673440d862a60245260445ffd5b34610224576117e836612606565b335f9081527f3a54504dd545374f5b75a6bb34bdebff7ddacaeb330bf31ad39f8c5f957010f0602052604090205490919060ff16156118355761182f61040d9236906126fc565b906128e2565b63e2517d3f60e01b5f52336004527ff7b34cf87af24ce01c1aff9f518b133989851466d994e0016fc14651fa02826c60245260445ffd5b346102245760203660031901126102245760043560038110156102245761189e61100991611898612663565b506126b1565b67ffffffffffffffff604051916118b483612546565b54818116835260401c16602082015260405191829182919091602067ffffffffffffffff816040840195828151168552015116910152565b346102245760203660031901126102245760043565ffffffffffff81169081810361022457611919612807565b61192242612bbf565b9165ffffffffffff6119326127a1565b1680821115611abc57507ff1038c18cf84a56e432fdbfaf746924b7ea511dfe03a6506a0ceba4888788d9b9265ffffffffffff82620697808061197f9510911802620697801816906128b6565b905f5160206134165f395f51905f52548060d01c80611a4c575b50506119f2817fffffffffffff000000000000ffffffffffffffffffffffffffffffffffffffff65ffffffffffff60a01b5f5160206134165f395f51905f52549260a01b169116175f5160206134165f395f51905f5255565b611a2f826001600160d01b036001600160d01b03195f5160206134165f395f51905f52549260d01b169116175f5160206134165f395f51905f5255565b6040805165ffffffffffff928316815292909116602083015290a1005b421115611a92576001600160d01b036001600160d01b03195f5160206133f65f395f51905f52549260301b169116175f5160206133f65f395f51905f52555b8380611999565b507f2b1fa2edafe6f7b9e97c1a9e0c3660e645beb2dcaa2d45bdbf9beaf5472e1ec55f80a1611a8b565b0365ffffffffffff8111610ae4577ff1038c18cf84a56e432fdbfaf746924b7ea511dfe03a6506a0ceba4888788d9b9261197f91906128b6565b3461022457602036600319011261022457611b0f612530565b611b17612807565b7f3377dc44241e779dd06afab5b788a35ca5f3b778836e2990bdb26a2a4b2e5ed66020611b54611b4642612bbf565b611b4e6127a1565b906128b6565b65ffffffffffff6001600160a01b03611b8f5f5160206133f65f395f51905f52549065ffffffffffff6001600160a01b0383169260a01c1690565b96905016945f5160206133f65f395f51905f5254866001600160d01b031965ffffffffffff60a01b8660a01b16921617175f5160206133f65f395f51905f525516611be6575b65ffffffffffff60405191168152a2005b7f8886ebfc4259abdbc16601dd8fb5678e54878f47b3c34836cfc51154a96051095f80a1611bd5565b34610224575f36600319011261022457602060ff7fcd5ed15c6e187e77e9aee88184c21f4f2182ab5827cb3b7e07fbedcd63f0330054166040519015158152f35b34610224575f366003190112610224576001600160a01b037f0000000000000000000000000000000000000000000000000000000000000000163003611cba5760206040517f360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc8152f35b7fe07c8dba000000000000000000000000000000000000000000000000000000005f5260045ffd5b604036600319011261022457611cf6612530565b60243567ffffffffffffffff8111610224573660238201121561022457611d279036906024816004013591016125d0565b906001600160a01b037f000000000000000000000000000000000000000000000000000000000000000016803014908115611f1b575b50611cba57611d6a612807565b6001600160a01b038116916040517f52d1902d000000000000000000000000000000000000000000000000000000008152602081600481875afa5f9181611ee7575b50611dc45783634c9c8ce360e01b5f5260045260245ffd5b807f360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc859203611ebc5750823b15611eaa57806001600160a01b03197f360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc5416177f360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc557fbc7cd75a20ee27fd9adebab32041f755214dbc6bffa90cc0225b39da2e5c2d3b5f80a2805115611e795761040d91612f08565b505034611e8257005b7fb398979f000000000000000000000000000000000000000000000000000000005f5260045ffd5b634c9c8ce360e01b5f5260045260245ffd5b7faa1d49a4000000000000000000000000000000000000000000000000000000005f5260045260245ffd5b9091506020813d602011611f13575b81611f0360209383612592565b8101031261022457519085611dac565b3d9150611ef6565b90506001600160a01b037f360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc5416141583611d5d565b34610224575f36600319011261022457335f9081527f475b312747b0505dfd322c59063ca43b615bb2e6d10fdf52fb58877bbcde4011602052604090205460ff1615612042577fcd5ed15c6e187e77e9aee88184c21f4f2182ab5827cb3b7e07fbedcd63f033005460ff811680611fc357005b1561201a5760ff19167fcd5ed15c6e187e77e9aee88184c21f4f2182ab5827cb3b7e07fbedcd63f03300557f5db9ee0a495bf2e6ff9c91a7834c1ba4fdd244a5e8aa4e537bd38aeae4b073aa6020604051338152a1005b7f8dfc202b000000000000000000000000000000000000000000000000000000005f5260045ffd5b63e2517d3f60e01b5f52336004527f427da25fe773164f88948d3e215c94b6554e2ed5e5f203a821c9f2f6131cf75a60245260445ffd5b346102245760403660031901126102245760043561209561251a565b8115806121a0575b6120e3575b336001600160a01b038216036120bb5761040d91612e52565b7f6697b232000000000000000000000000000000000000000000000000000000005f5260045ffd5b5f5160206133f65f395f51905f525465ffffffffffff60a082901c16906001600160a01b031615801590612190575b801561217e575b61216357507fffffffffffff000000000000ffffffffffffffffffffffffffffffffffffffff5f5160206133f65f395f51905f5254165f5160206133f65f395f51905f52556120a2565b65ffffffffffff906319ca5ebb60e01b5f521660045260245ffd5b504265ffffffffffff82161015612119565b5065ffffffffffff811615612112565b506001600160a01b035f5160206134165f395f51905f5254166001600160a01b0382161461209d565b34610224576040366003190112610224576004356121e561251a565b811561050657816122276104fc61040d945f527f02dd7bc7dec4dceedda775e58dd541e08a116c6c53815c0bd028192f7b626800602052600160405f20015490565b613084565b34610224576020366003190112610224576020610d766004355f527f02dd7bc7dec4dceedda775e58dd541e08a116c6c53815c0bd028192f7b626800602052600160405f20015490565b34610224576020366003190112610224576004356003811015610224576122a8611009916122a2612663565b5061267b565b5467ffffffffffffffff604051916122bf83612546565b818116835260401c16602082015260405191829182919091602067ffffffffffffffff816040840195828151168552015116910152565b34610224575f3660031901126102245760206001600160a01b037f4de9dd434774d270f73041439873e4fe463cf48c68184ed1cf0b9021a2d1f2005416604051908152f35b34610224575f36600319011261022457612353612807565b5f5160206134165f395f51905f52548060d01c80612389575b5f5160206134165f395f51905f5280546001600160a01b03169055005b4211156123cf576001600160d01b036001600160d01b03195f5160206133f65f395f51905f52549260301b169116175f5160206133f65f395f51905f52555b808061236c565b507f2b1fa2edafe6f7b9e97c1a9e0c3660e645beb2dcaa2d45bdbf9beaf5472e1ec55f80a16123c8565b34610224575f366003190112610224576020604051620697808152f35b3461022457602036600319011261022457600435907fffffffff00000000000000000000000000000000000000000000000000000000821680920361022457817f5a05180f000000000000000000000000000000000000000000000000000000006020931490811561248a575b5015158152f35b7f31498786000000000000000000000000000000000000000000000000000000008114915081156124bd575b5083612483565b7f7965db0b000000000000000000000000000000000000000000000000000000008114915081156124f0575b50836124b6565b7f01ffc9a700000000000000000000000000000000000000000000000000000000915014836124e9565b602435906001600160a01b038216820361022457565b600435906001600160a01b038216820361022457565b6040810190811067ffffffffffffffff82111761256257604052565b634e487b7160e01b5f52604160045260245ffd5b6060810190811067ffffffffffffffff82111761256257604052565b90601f8019910116810190811067ffffffffffffffff82111761256257604052565b67ffffffffffffffff811161256257601f01601f191660200190565b9291926125dc826125b4565b916125ea6040519384612592565b829481845281830111610224578281602093845f960137010152565b9060606003198301126102245760043560038110156102245760409092602319011261022457602490565b34610224575f3660031901126102245760206001600160a01b035f5160206134165f395f51905f525416604051908152f35b6040519061267082612546565b5f6020838281520152565b6003811015610af8575f527f2404a1879013120371c6e44eaacf5f1c65e7eac75b9cf1b49b624415026fd00060205260405f2090565b6003811015610af8575f527f2404a1879013120371c6e44eaacf5f1c65e7eac75b9cf1b49b624415026fd00160205260405f2090565b359067ffffffffffffffff8216820361022457565b91908260409103126102245760405161271481612546565b602061272d818395612725816126e7565b8552016126e7565b910152565b356001600160a01b03811681036102245790565b903590601e1981360301821215610224570180359067ffffffffffffffff821161022457602001918160051b3603831361022457565b90600381101561278d5760061b0190565b634e487b7160e01b5f52603260045260245ffd5b5f5160206134165f395f51905f52548060d01c80151590816127e8575b50156127d25760a01c65ffffffffffff1690565b505f5160206133f65f395f51905f525460d01c90565b905042115f6127be565b3567ffffffffffffffff811681036102245790565b335f9081527fb7db2dd08fcb62d0c9e08c51941cae53c267786a0b75803fb7960902fc8ef97d602052604090205460ff161561283f57565b63e2517d3f60e01b5f52336004525f60245260445ffd5b805f527f02dd7bc7dec4dceedda775e58dd541e08a116c6c53815c0bd028192f7b62680060205260405f206001600160a01b0333165f5260205260ff60405f205416156128a05750565b63e2517d3f60e01b5f523360045260245260445ffd5b9065ffffffffffff8091169116019065ffffffffffff8211610ae457565b6003811015610af857600452565b9060206128ee836126b1565b604051906128fb82612546565b549067ffffffffffffffff8083169283835260401c1692839101528067ffffffffffffffff845116118015612aa8575b612a7c57505067ffffffffffffffff806129448461267b565b92612a278282511660208301958480885116926129ac8261296485612c73565b85547fffffffffffffffff0000000000000000ffffffffffffffffffffffffffffffff16911660801b77ffffffffffffffff0000000000000000000000000000000016178455565b825477ffffffffffffffffffffffffffffffffffffffffffffffff1642831660c01b77ffffffffffffffffffffffffffffffffffffffffffffffff1916178355168519825416178155906fffffffffffffffff0000000000000000196fffffffffffffffff000000000000000083549260401b169116179055565b51169151166003831015610af8576040805167ffffffffffffffff93841681529190921660208201527f1b5c680dd19befdf0f6ca0107480dd0b75e58146dbe0f69d49240ef8b2fada1c91819081015b0390a2565b6109be847f1370b311000000000000000000000000000000000000000000000000000000005f526128d4565b508167ffffffffffffffff6020850151161161292b565b90612b40612b3a612acf846126b1565b9267ffffffffffffffff612ae2826127f2565b1667ffffffffffffffff19855416178455612b356020820194612b04866127f2565b6fffffffffffffffff0000000000000000196fffffffffffffffff000000000000000083549260401b169116179055565b6127f2565b916127f2565b6003831015610af8576040805167ffffffffffffffff93841681529190921660208201527f888cd3a315a58464a925ee9fa6855f9cc3d3be82df9122b734d246f66c52a1bd9181908101612a77565b612ba467ffffffffffffffff82541691612c73565b8103908111150290565b90815181101561278d570160200190565b65ffffffffffff8111612bd75765ffffffffffff1690565b7f6dfcc650000000000000000000000000000000000000000000000000000000005f52603060045260245260445ffd5b805482101561278d575f5260205f2001905f90565b60ff7ff0c57e16840df040f15088dc2f81fe391c3923bec73e23a9662efc9c229c6a005460401c1615612c4b57565b7fd7e6bcf8000000000000000000000000000000000000000000000000000000005f5260045ffd5b548060c01c9081420391428311610ae45767ffffffffffffffff8260401c16808402938404149042141715610ae45760801c67ffffffffffffffff16908103908111150290565b8115612d8b57612cc981612c73565b918201809211610ae45767ffffffffffffffff8154168211612d8557612d4067ffffffffffffffff612d80931682907fffffffffffffffff0000000000000000ffffffffffffffffffffffffffffffff77ffffffffffffffff0000000000000000000000000000000083549260801b169116179055565b805477ffffffffffffffffffffffffffffffffffffffffffffffff164260c01b77ffffffffffffffffffffffffffffffffffffffffffffffff1916179055565b600190565b50505f90565b5050600190565b612dc66001600160a01b035f5160206134165f395f51905f525416916001600160a01b038116928314612e25575b5f613137565b9081612dd0575090565b5f80527fc1f6fe24621ce81ec5827caf0253cadb74709b061630e6b55e82371705932000602052612e21907f615f0f9e84155bea8cc509fe18befeb1baf65611e38a6ba60964480fb29dfd446131fa565b5090565b6001600160a01b03195f5160206134165f395f51905f5254165f5160206134165f395f51905f5255612dc0565b801580612edf575b612eb2575b612e698282613137565b9182612e7457505090565b612e21915f527fc1f6fe24621ce81ec5827caf0253cadb74709b061630e6b55e823717059320006020526001600160a01b0360405f209116906131fa565b6001600160a01b03195f5160206134165f395f51905f5254165f5160206134165f395f51905f5255612e5f565b506001600160a01b035f5160206134165f395f51905f5254166001600160a01b03831614612e5a565b905f8091602081519101845af48080612faf575b15612f3c5750506040513d81523d5f602083013e60203d82010160405290565b15612f76576001600160a01b03907f9996b315000000000000000000000000000000000000000000000000000000005f521660045260245ffd5b3d15612f87576040513d5f823e3d90fd5b7fd6bda275000000000000000000000000000000000000000000000000000000005f5260045ffd5b503d151580612f1c5750813b1515612f1c565b6001600160a01b035f5160206134165f395f51905f52541661050657613016816001600160a01b03166001600160a01b03195f5160206134165f395f51905f525416175f5160206134165f395f51905f5255565b613020815f6132d5565b908161302a575090565b5f80527fc1f6fe24621ce81ec5827caf0253cadb74709b061630e6b55e82371705932000602052612e21906001600160a01b03167f615f0f9e84155bea8cc509fe18befeb1baf65611e38a6ba60964480fb29dfd4461339c565b80156130de575b61309582826132d5565b91826130a057505090565b612e21915f527fc1f6fe24621ce81ec5827caf0253cadb74709b061630e6b55e823717059320006020526001600160a01b0360405f2091169061339c565b6001600160a01b035f5160206134165f395f51905f52541661050657613132826001600160a01b03166001600160a01b03195f5160206134165f395f51905f525416175f5160206134165f395f51905f5255565b61308b565b805f527f02dd7bc7dec4dceedda775e58dd541e08a116c6c53815c0bd028192f7b62680060205260405f206001600160a01b0383165f5260205260ff60405f2054165f14612d8557805f527f02dd7bc7dec4dceedda775e58dd541e08a116c6c53815c0bd028192f7b62680060205260405f206001600160a01b0383165f5260205260405f2060ff1981541690556001600160a01b03339216907ff6391f5c32d9c69d2a47ea670b442974b53935d1edc7fd64eb21e047a839171b5f80a4600190565b906001820191815f528260205260405f20548015155f146132cd575f198101818111610ae45782545f19810191908211610ae457818103613282575b5050508054801561326e575f19019061324f8282612c07565b8154905f199060031b1b19169055555f526020525f6040812055600190565b634e487b7160e01b5f52603160045260245ffd5b6132b86132926132a29386612c07565b90549060031b1c92839286612c07565b819391549060031b91821b915f19901b19161790565b90555f528360205260405f20555f8080613236565b505050505f90565b805f527f02dd7bc7dec4dceedda775e58dd541e08a116c6c53815c0bd028192f7b62680060205260405f206001600160a01b0383165f5260205260ff60405f205416155f14612d8557805f527f02dd7bc7dec4dceedda775e58dd541e08a116c6c53815c0bd028192f7b62680060205260405f206001600160a01b0383165f5260205260405f20600160ff198254161790556001600160a01b03339216907f2f8788117e7eff1d82e926ec794901d17c78024a50270940304540a733656f0d5f80a4600190565b6001810190825f528160205260405f2054155f146133ee57805468010000000000000000811015612562576133db6132a2826001879401855584612c07565b905554915f5260205260405f2055600190565b5050505f9056feeef3dac4538c82c8ace4063ab0acd2d15cdb5883aa1dff7c2673abb3d8698400eef3dac4538c82c8ace4063ab0acd2d15cdb5883aa1dff7c2673abb3d8698401f0c57e16840df040f15088dc2f81fe391c3923bec73e23a9662efc9c229c6a00' as const

/** The code that runs, with zeros in the place of its immutables: 32 bytes at each offset. */
export const settlementRuntime = {
  hash: '0xf1736f688bd63543a3ae224859d1eb2a46beac47f8dedf47bfc2f79a656f396a',
  size: 13366,
  immutableOffsets: [7274, 7474],
} as const
