// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.28;

/// @title Record of settled batches
/// @notice Batches are numbered 1, 2, 3 without gaps. A batch settles only as the next number, and only on exactly the
/// batches before it that its maker knew of: so at most once, for ever. Its outcome stays readable.
abstract contract BatchLedger {
    /// @notice What is kept of a batch: two words.
    /// @param outcome Bit i: instruction i succeeded. Bit 255: the batch is settled.
    /// @param origin The first 24 bytes of the hash of its instructions, and 8 bytes of the number of the block.
    struct Batch {
        uint256 outcome;
        bytes32 origin;
    }

    /// @custom:storage-location erc7201:stablecoin.storage.BatchLedger
    struct BatchLedgerStorage {
        mapping(uint256 batchId => Batch) _batches;
        uint256 _lastBatchId;
        bytes32 _runningHash;
    }

    /// @dev keccak256(abi.encode(uint256(keccak256("stablecoin.storage.BatchLedger")) - 1)) & ~bytes32(uint256(0xff))
    bytes32 private constant BATCH_LEDGER_STORAGE = 0x13fd32f4d643b54f6efd355dff2fda4e2df7912f8224524549c0c35254a87d00;

    /// @dev Marks a batch as settled.
    uint256 private constant SETTLED = 1 << 255;

    /// @notice The batch is not the next one. It was settled before, or one before it was not.
    /// @param batchId The batch id.
    /// @param next The only id that can be settled now.
    error NotNextBatch(uint256 batchId, uint256 next);

    /// @notice The batch was made on other batches than those that were settled.
    /// @param previous The running hash that its maker had read.
    /// @param runningHash The running hash now.
    error WrongPrevious(bytes32 previous, bytes32 runningHash);

    /// @notice Where the record ends.
    /// @return lastBatchId The highest batch id; zero before the first.
    /// @return runningHash `keccak256(bytes32 before ‖ bytes24 digest)` over all digests in their order, beginning with zero.
    function head() external view returns (uint256 lastBatchId, bytes32 runningHash) {
        BatchLedgerStorage storage $ = _batchLedgerStorage();
        return ($._lastBatchId, $._runningHash);
    }

    /// @notice What became of a batch.
    /// @param batchId The batch id.
    /// @return settled Whether it was settled; the other results are zero when not.
    /// @return successBitmap Bit i is set when instruction i succeeded.
    /// @return digest The first 24 bytes of the hash of its instructions.
    /// @return blockNumber The block that settled it.
    function outcomeOf(uint256 batchId)
        external
        view
        returns (bool settled, uint256 successBitmap, bytes24 digest, uint64 blockNumber)
    {
        Batch storage batch = _batchLedgerStorage()._batches[batchId];
        uint256 outcome = batch.outcome;
        bytes32 origin = batch.origin;
        return (outcome & SETTLED != 0, outcome & ~SETTLED, bytes24(origin), uint64(uint256(origin)));
    }

    /// @dev Makes a batch the last one, before anything else is called; reverts unless it is the next one.
    /// @param batchId The batch id.
    /// @param previous The running hash that its maker had read.
    /// @param digest The first 24 bytes of the hash of its instructions.
    function _open(uint256 batchId, bytes32 previous, bytes24 digest) internal {
        BatchLedgerStorage storage $ = _batchLedgerStorage();
        uint256 next = $._lastBatchId + 1;
        if (batchId != next) revert NotNextBatch(batchId, next);
        if (previous != $._runningHash) revert WrongPrevious(previous, $._runningHash);
        $._lastBatchId = next;
        $._runningHash = keccak256(abi.encodePacked(previous, digest));
    }

    /// @dev Records the outcome of the batch opened in this transaction.
    /// @param batchId The batch id.
    /// @param digest The first 24 bytes of the hash of its instructions.
    /// @param successBitmap Bit i, up to 254, is set when instruction i succeeded.
    function _close(uint256 batchId, bytes24 digest, uint256 successBitmap) internal {
        bytes32 origin = bytes32(abi.encodePacked(digest, uint64(block.number)));
        _batchLedgerStorage()._batches[batchId] = Batch({outcome: SETTLED | successBitmap, origin: origin});
    }

    /// @dev The namespaced storage (ERC-7201) of this contract.
    /// @return $ A pointer to it.
    function _batchLedgerStorage() private pure returns (BatchLedgerStorage storage $) {
        assembly {
            $.slot := BATCH_LEDGER_STORAGE
        }
    }
}
