// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.28;

import {BatchLedger} from "./settlement/BatchLedger.sol";
import {Limited} from "./settlement/Limited.sol";
import {Execution, ISettleable} from "./shared/ISettleable.sol";
import {Kind, Reason} from "./shared/Instruction.sol";
import {Rescuable} from "./shared/Rescuable.sol";

/// @title Settlement
/// @notice Settles batches of mints, burns and transfers of the coin, one after the other, each once, within limits. One
/// instruction that cannot be executed fails alone, with its reason in an event. Upgradeable (UUPS), with its storage
/// namespaced (ERC-7201).
contract Settlement is Limited, BatchLedger, Rescuable {
    /// @notice How a settlement begins. All buckets start full.
    /// @param coin The coin it settles; for ever.
    /// @param admin Gives and takes roles, sets ceilings, upgrades and rescues. A timelock.
    /// @param signers The keys that settle.
    /// @param limiters Set limits below the ceilings.
    /// @param pausers Stop settlement, and take roles away.
    /// @param unpausers End the stop.
    /// @param limits The limits of mints, burns and transfers.
    /// @param ceilings Their ceilings.
    struct Beginning {
        address coin;
        address admin;
        address[] signers;
        address[] limiters;
        address[] pausers;
        address[] unpausers;
        Limit[3] limits;
        Limit[3] ceilings;
    }

    /// @custom:storage-location erc7201:stablecoin.storage.Settlement
    struct SettlementStorage {
        ISettleable _coin;
    }

    /// @dev keccak256(abi.encode(uint256(keccak256("stablecoin.storage.Settlement")) - 1)) & ~bytes32(uint256(0xff))
    bytes32 private constant SETTLEMENT_STORAGE = 0x4de9dd434774d270f73041439873e4fe463cf48c68184ed1cf0b9021a2d1f200;

    /// @notice May settle batches: the signing keys of the service.
    bytes32 public constant SIGNER_ROLE = keccak256("SIGNER_ROLE");

    /// @notice A batch was settled.
    /// @param batchId The batch id.
    /// @param digest The first 24 bytes of the hash of its instructions.
    /// @param successBitmap Bit i is set when instruction i succeeded.
    event BatchSettled(uint256 indexed batchId, bytes24 digest, uint256 successBitmap);

    /// @notice An instruction of a settled batch moved nothing.
    /// @param batchId The batch id.
    /// @param index The position of the instruction in its batch, from 0.
    /// @param reason Why it failed.
    event InstructionFailed(uint256 indexed batchId, uint256 indexed index, Reason reason);

    /// @notice The caller is not the key that signed the transaction, or that key runs code.
    /// @param caller The caller.
    error CallerHasCode(address caller);

    /// @notice Settlement is stopped; the batch can be settled when it no longer is.
    error SettlementPaused();

    /// @notice Sets up the contract, once.
    /// @param beginning How it begins.
    function initialize(Beginning calldata beginning) external initializer {
        if (beginning.coin == address(0)) revert ZeroAddress();
        _settlementStorage()._coin = ISettleable(beginning.coin);
        __Governed_init(beginning.admin, beginning.pausers, beginning.unpausers);
        _appointAll(SIGNER_ROLE, beginning.signers);
        _appointAll(LIMITER_ROLE, beginning.limiters);
        for (uint256 i = 0; i < 3; ++i) {
            _setCeiling(Kind(i), beginning.ceilings[i]);
            _setLimit(Kind(i), beginning.limits[i]);
        }
    }

    /// @notice Settles a batch. Its instructions are executed in their order; what fails is left out and recorded.
    /// @dev Reverts as a whole, with nothing used up, when the caller is no signer or not the transaction's own sender, the
    /// batch is not the next one or was made on another history, settlement or the coin is stopped, the bytes are not 1
    /// to 255 instructions, what was executed exceeds a limit, or gas runs out. Only executed instructions count
    /// towards the limits.
    /// @param batchId The highest batch id so far + 1.
    /// @param previous The running hash so far.
    /// @param instructions 1 to 255 packed instructions (`PackedInstructions`).
    function settle(uint256 batchId, bytes32 previous, bytes calldata instructions) external onlyRole(SIGNER_ROLE) {
        // A batch can be read again for ever only where its instructions are its transaction's input. A contract could make
        // them elsewhere: one under construction has no code yet, a key that runs code (EIP-7702) is its own origin.
        if (msg.sender != tx.origin || msg.sender.code.length != 0) revert CallerHasCode(msg.sender);
        if (paused()) revert SettlementPaused();
        bytes24 digest = bytes24(keccak256(instructions));
        _open(batchId, previous, digest);

        Execution memory execution = _settlementStorage()._coin.execute(instructions);

        for (uint256 i = 0; i < 3; ++i) _take(Kind(i), execution.sums[i]);
        _close(batchId, digest, execution.successBitmap);
        _reportFailures(batchId, execution.failures);
        emit BatchSettled(batchId, digest, execution.successBitmap);
    }

    /// @notice The coin it settles.
    /// @return The address of the coin.
    function coin() external view returns (address) {
        return address(_settlementStorage()._coin);
    }

    /// @dev Emits an event for each instruction that failed.
    /// @param batchId The batch id.
    /// @param failures Two bytes for each instruction that failed: its index and its `Reason`.
    function _reportFailures(uint256 batchId, bytes memory failures) private {
        for (uint256 i = 0; i < failures.length; i += 2) {
            emit InstructionFailed(batchId, uint8(failures[i]), Reason(uint8(failures[i + 1])));
        }
    }

    /// @dev The namespaced storage (ERC-7201) of this contract.
    /// @return $ A pointer to it.
    function _settlementStorage() private pure returns (SettlementStorage storage $) {
        assembly {
            $.slot := SETTLEMENT_STORAGE
        }
    }
}
