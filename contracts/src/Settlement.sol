// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.28;

import {UUPSUpgradeable} from "@openzeppelin/contracts/proxy/utils/UUPSUpgradeable.sol";
import {Address} from "@openzeppelin/contracts/utils/Address.sol";
import {BatchLedger} from "./settlement/BatchLedger.sol";
import {InstructionCodec} from "./settlement/InstructionCodec.sol";
import {Limited} from "./settlement/Limited.sol";
import {Execution, ISettleable} from "./shared/ISettleable.sol";
import {Instruction, Reason} from "./shared/Instruction.sol";

/// @title Settlement
/// @notice Settles batches of mints, burns and transfers of the coin, each batch id at most once, within limits. One
/// instruction that cannot be executed fails alone, with its reason in an event. Upgradeable (UUPS), with its storage
/// namespaced (ERC-7201).
contract Settlement is Limited, BatchLedger, UUPSUpgradeable {
    using Address for address;
    using InstructionCodec for Instruction[];

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
        uint256 count = instructions.length;
        if (count == 0 || count > MAX_INSTRUCTIONS) revert InvalidBatchSize(count);
        (bytes memory call, bytes32 digest) = instructions.encodeExecute();
        _open(batchId, digest);

        address coin_ = address(_settlementStorage()._coin);
        if (ISettleable(coin_).paused()) revert CoinPaused();
        Execution memory execution = abi.decode(coin_.functionCall(call), (Execution));

        _take(execution.minted, execution.debited);
        _close(batchId, execution.successBitmap);
        _reportFailures(batchId, execution.reasons);
        emit BatchSettled(batchId, digest, execution.successBitmap);
    }

    /// @notice The coin it settles.
    /// @return The address of the coin.
    function coin() external view returns (address) {
        return address(_settlementStorage()._coin);
    }

    /// @dev Emits an event for each instruction that failed.
    /// @param batchId The batch id.
    /// @param reasons One byte per instruction: the `Reason` it failed for, zero when it succeeded.
    function _reportFailures(uint256 batchId, bytes memory reasons) private {
        for (uint256 i = 0; i < reasons.length; ++i) {
            Reason reason = Reason(uint8(reasons[i]));
            if (reason != Reason.None) emit InstructionFailed(batchId, i, reason);
        }
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
