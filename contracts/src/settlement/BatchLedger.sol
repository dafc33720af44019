// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.28;

/// @title Record of settled batches
/// @notice A batch id settles at most once, for ever, and its outcome stays readable.
abstract contract BatchLedger {
    /// @notice What is kept of a batch: two words.
    /// @param outcome Bit i: instruction i succeeded. Bit 255: the batch is settled.
    /// @param digest The hash of the instructions.
    struct Batch {
        uint256 outcome;
        bytes32 digest;
    }

    /// @custom:storage-location erc7201:stablecoin.storage.BatchLedger
    struct BatchLedgerStorage {
        mapping(uint256 batchId => Batch) _batches;
    }

    /// @dev keccak256(abi.encode(uint256(keccak256("stablecoin.storage.BatchLedger")) - 1)) & ~bytes32(uint256(0xff))
    bytes32 private constant BATCH_LEDGER_STORAGE = 0x13fd32f4d643b54f6efd355dff2fda4e2df7912f8224524549c0c35254a87d00;

    /// @dev Marks a batch as settled.
    uint256 private constant SETTLED = 1 << 255;

    /// @notice The batch id was settled before; `outcomeOf` tells what became of it.
    /// @param batchId The batch id.
    error BatchAlreadySettled(uint256 batchId);

    /// @notice What became of a batch.
    /// @param batchId The batch id.
    /// @return settled Whether it was settled; the other results are zero when not.
    /// @return successBitmap Bit i is set when instruction i succeeded.
    /// @return digest `keccak256(abi.encode(instructions))` of the instructions that were settled.
    function outcomeOf(uint256 batchId)
        external
        view
        returns (bool settled, uint256 successBitmap, bytes32 digest)
    {
        Batch storage batch = _batchLedgerStorage()._batches[batchId];
        uint256 outcome = batch.outcome;
        return (outcome & SETTLED != 0, outcome & ~SETTLED, batch.digest);
    }

    /// @dev Uses up a batch id, before anything else is called; reverts when it was used before.
    /// @param batchId The batch id.
    /// @param digest The hash of its instructions.
    function _open(uint256 batchId, bytes32 digest) internal {
        Batch storage batch = _batchLedgerStorage()._batches[batchId];
        if (batch.outcome != 0) revert BatchAlreadySettled(batchId);
        batch.outcome = SETTLED;
        batch.digest = digest;
    }

    /// @dev Records the outcome of a batch opened in this transaction.
    /// @param batchId The batch id.
    /// @param successBitmap Bit i, up to 254, is set when instruction i succeeded.
    function _close(uint256 batchId, uint256 successBitmap) internal {
        _batchLedgerStorage()._batches[batchId].outcome = SETTLED | successBitmap;
    }

    /// @dev The namespaced storage (ERC-7201) of this contract.
    /// @return $ A pointer to it.
    function _batchLedgerStorage() private pure returns (BatchLedgerStorage storage $) {
        assembly {
            $.slot := BATCH_LEDGER_STORAGE
        }
    }
}
