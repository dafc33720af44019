// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.28;

import {UUPSUpgradeable} from "@openzeppelin/contracts/proxy/utils/UUPSUpgradeable.sol";
import {BatchLedger} from "./settlement/BatchLedger.sol";
import {Limited} from "./settlement/Limited.sol";
import {ISettleable} from "./shared/ISettleable.sol";
import {Instruction, Kind, Reason} from "./shared/Instruction.sol";

/// @title Settlement
/// @notice Settles batches of mints, burns and transfers of the coin, each batch id at most once, within limits. One
/// instruction that cannot be executed fails alone, with its reason in an event. Upgradeable (UUPS), with its storage
/// namespaced (ERC-7201).
contract Settlement is Limited, BatchLedger, UUPSUpgradeable {
    /// @notice A token bucket's numbers.
    /// @param capacity What can be settled at once, in units of 10^-6 coin.
    /// @param refillPerSecond What becomes available again each second.
    struct Limit {
        uint256 capacity;
        uint256 refillPerSecond;
    }

    /// @custom:storage-location erc7201:stablecoin.storage.Settlement
    struct SettlementStorage {
        ISettleable _coin;
    }

    /// @dev keccak256(abi.encode(uint256(keccak256("stablecoin.storage.Settlement")) - 1)) & ~bytes32(uint256(0xff))
    bytes32 private constant SETTLEMENT_STORAGE = 0x4de9dd434774d270f73041439873e4fe463cf48c68184ed1cf0b9021a2d1f200;

    /// @notice May settle batches; the signing keys of the service.
    bytes32 public constant OPERATOR_ROLE = keccak256("OPERATOR_ROLE");

    /// @notice The most instructions of one batch: one bit each, beside the bit that says "settled".
    uint256 public constant MAX_INSTRUCTIONS = 255;

    /// @notice A batch was settled.
    /// @param batchId The batch id.
    /// @param digest `keccak256(abi.encode(instructions))`.
    /// @param successBitmap Bit i is set when instruction i succeeded.
    event BatchSettled(uint256 indexed batchId, bytes32 digest, uint256 successBitmap);

    /// @notice An instruction of a settled batch moved nothing.
    /// @param batchId The batch id.
    /// @param index The position of the instruction in its batch, from 0.
    /// @param reason Why it failed.
    event InstructionFailed(uint256 indexed batchId, uint256 indexed index, Reason reason);

    /// @notice A batch has no instructions, or too many.
    /// @param count How many it has.
    error InvalidBatchSize(uint256 count);

    /// @notice The coin is paused; the batch can be settled when it no longer is.
    error CoinPaused();

    /// @notice The coin or an initial role holder is the zero address.
    error ZeroAddress();

    /// @dev The implementation behind the proxy can never be initialised itself.
    /// @custom:oz-upgrades-unsafe-allow constructor
    constructor() {
        _disableInitializers();
    }

    /// @notice Sets up the contract, once. Both buckets start full.
    /// @param coin_ The coin it settles; for ever.
    /// @param admin Grants and revokes roles, sets limits, and upgrades.
    /// @param operators The first signing keys.
    /// @param mintLimit_ The mint limit.
    /// @param debitLimit_ The limit shared by burns and transfers.
    function initialize(
        address coin_,
        address admin,
        address[] calldata operators,
        Limit calldata mintLimit_,
        Limit calldata debitLimit_
    ) external initializer {
        if (coin_ == address(0) || admin == address(0)) revert ZeroAddress();
        _settlementStorage()._coin = ISettleable(coin_);
        _grantRole(DEFAULT_ADMIN_ROLE, admin);
        for (uint256 i = 0; i < operators.length; ++i) {
            if (operators[i] == address(0)) revert ZeroAddress();
            _grantRole(OPERATOR_ROLE, operators[i]);
        }
        _setMintLimit(mintLimit_.capacity, mintLimit_.refillPerSecond);
        _setDebitLimit(debitLimit_.capacity, debitLimit_.refillPerSecond);
    }

    /// @notice Settles a batch. Its instructions are executed in their order; what fails is left out and recorded.
    /// @dev Reverts as a whole, with nothing used up, when the caller is not an operator, the id was settled before,
    /// there is no instruction or more than 255, the coin is paused, what was executed exceeds a limit, or gas runs
    /// out. Only executed instructions count towards the limits.
    /// @param batchId Any number never settled before.
    /// @param instructions 1 to 255 instructions.
    function settle(uint256 batchId, Instruction[] calldata instructions) external onlyRole(OPERATOR_ROLE) {
        bytes32 digest = keccak256(abi.encode(instructions));
        _open(batchId, digest);
        if (instructions.length == 0 || instructions.length > MAX_INSTRUCTIONS) {
            revert InvalidBatchSize(instructions.length);
        }

        ISettleable coin_ = _settlementStorage()._coin;
        if (coin_.paused()) revert CoinPaused();
        bytes memory reasons = coin_.execute(instructions);

        uint256 successBitmap = _settleOutcome(batchId, instructions, reasons);
        _close(batchId, successBitmap);
        emit BatchSettled(batchId, digest, successBitmap);
    }

    /// @notice The coin it settles.
    /// @return The address of the coin.
    function coin() external view returns (address) {
        return address(_settlementStorage()._coin);
    }

    /// @dev Sums up what was executed, takes it from the limits, and reports what failed.
    /// @param batchId The batch id.
    /// @param instructions The instructions.
    /// @param reasons What the coin said about each of them.
    /// @return successBitmap Bit i is set when instruction i succeeded.
    function _settleOutcome(uint256 batchId, Instruction[] calldata instructions, bytes memory reasons)
        private
        returns (uint256 successBitmap)
    {
        uint256 minted;
        uint256 debited;
        for (uint256 i = 0; i < instructions.length; ++i) {
            Reason reason = Reason(uint8(reasons[i]));
            if (reason != Reason.None) {
                emit InstructionFailed(batchId, i, reason);
                continue;
            }
            successBitmap |= 1 << i;
            if (instructions[i].kind == Kind.Mint) minted += instructions[i].amount;
            else debited += instructions[i].amount;
        }
        _take(minted, debited);
    }

    /// @dev The namespaced storage (ERC-7201) of this contract.
    /// @return $ A pointer to it.
    function _settlementStorage() private pure returns (SettlementStorage storage $) {
        assembly {
            $.slot := SETTLEMENT_STORAGE
        }
    }

    /// @dev Only the admin upgrades.
    /// @param newImplementation The implementation to run from now on.
    function _authorizeUpgrade(address newImplementation) internal override onlyRole(DEFAULT_ADMIN_ROLE) {}
}
