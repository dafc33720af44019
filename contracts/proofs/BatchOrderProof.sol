// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.28;

import {BatchLedger} from "../src/settlement/BatchLedger.sol";

/// @title A batch id executes once
/// @notice The step of a proof by induction over batches: whatever the state was, one more settlement keeps it true.
/// `times` counts how often one id, which may be any, was executed. Nothing but `_open` and `_close` writes that state.
contract BatchOrderProof is BatchLedger {
    uint256 private watched;
    uint256 private times;

    /// @notice Before the first batch.
    function base() external view {
        require(keptBatchLedgerStorage._lastBatchId == 0 && times == 0);
        assert(times == _expected());
    }

    /// @notice From any batch to the next.
    function step(uint256 batchId, bytes32 previous, bytes24 digest, uint256 successBitmap) external {
        require(times == _expected());
        uint256 last = keptBatchLedgerStorage._lastBatchId;
        bytes32 runningHash = keptBatchLedgerStorage._runningHash;
        uint256 outcome = keptBatchLedgerStorage._batches[watched].outcome;

        _open(batchId, previous, digest);
        _close(batchId, digest, successBitmap);
        if (batchId == watched) ++times;

        assert(times == _expected());
        assert(times <= 1);
        assert(batchId == last + 1 && previous == runningHash);
        assert(keptBatchLedgerStorage._lastBatchId == batchId);
        assert(watched == batchId || keptBatchLedgerStorage._batches[watched].outcome == outcome);
    }

    /// @dev An id was executed once when the last one is as high, and never otherwise.
    function _expected() private view returns (uint256) {
        return watched != 0 && watched <= keptBatchLedgerStorage._lastBatchId ? 1 : 0;
    }
}
