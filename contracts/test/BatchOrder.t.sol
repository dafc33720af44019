// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.28;

import {BatchLedger} from "../src/settlement/BatchLedger.sol";
import {FixtureTest} from "./support/Fixture.sol";
import {Instruction, pack} from "./support/Instructions.sol";

/// @title A batch runs only as the next one, on exactly the history that its maker read
contract BatchOrderTest is FixtureTest {
    function _settleAs(address by, uint256 batchId, bytes32 previous, bytes memory packed, bytes memory refusal) private {
        (uint256 lastBefore, bytes32 hashBefore) = settlement.head();
        if (refusal.length > 0) vm.expectRevert(refusal);
        vm.prank(by, by);
        settlement.settle(batchId, previous, packed);
        if (refusal.length == 0) return;
        (uint256 lastAfter, bytes32 hashAfter) = settlement.head();
        vm.assertEq(lastAfter, lastBefore, "the last id stays");
        vm.assertEq(hashAfter, hashBefore, "the running hash stays");
    }

    function _notNext(uint256 batchId, uint256 next) private pure returns (bytes memory) {
        return abi.encodeWithSelector(BatchLedger.NotNextBatch.selector, batchId, next);
    }

    function test_begins_with_nothing() public view {
        (uint256 lastBatchId, bytes32 runningHash) = settlement.head();
        vm.assertEq(lastBatchId, 0, "no batch");
        vm.assertEq(runningHash, bytes32(0), "no history");
        _expectUnsettled(0);
        _expectUnsettled(1);
    }

    function testFuzz_the_head_is_the_last_id_and_the_hash_of_all_digests(uint256 seed, uint8 count) public {
        bytes32 expected;
        uint256 batches = _within(count, 1, 8);
        for (uint256 i = 1; i <= batches; ++i) {
            Instruction[] memory batch = _mints(1 + uint256(keccak256(abi.encode(seed, i))) % 5);
            batch[0].tag = bytes8(keccak256(abi.encode(seed, i)));
            bytes24 digest = bytes24(keccak256(pack(batch)));
            expected = keccak256(bytes.concat(expected, digest));
            vm.roll(BLOCK + i);
            _settle(batch);
            (uint256 lastBatchId, bytes32 runningHash) = settlement.head();
            vm.assertEq(lastBatchId, i, "id");
            vm.assertEq(runningHash, expected, "running hash");
            (,, bytes24 recorded, uint64 blockNumber) = settlement.outcomeOf(i);
            vm.assertEq(bytes32(recorded), bytes32(digest), "digest");
            vm.assertEq(blockNumber, BLOCK + i, "block");
        }
    }

    function testFuzz_only_the_next_id_settles(uint256 batchId, bool begun) public {
        if (begun) _give(bob, 1);
        (uint256 lastBatchId, bytes32 runningHash) = settlement.head();
        vm.assume(batchId != lastBatchId + 1);
        _settleAs(signer, batchId, runningHash, pack(_batch(_mint(alice, 1))), _notNext(batchId, lastBatchId + 1));
        uint256[4] memory others = [0, lastBatchId, lastBatchId + 2, type(uint256).max];
        for (uint256 i = 0; i < 4; ++i) {
            _settleAs(signer, others[i], runningHash, pack(_batch(_mint(alice, 1))), _notNext(others[i], lastBatchId + 1));
        }
        vm.assertEq(coin.balanceOf(alice), 0, "nothing minted");
        _settleAs(signer, lastBatchId + 1, runningHash, pack(_batch(_mint(alice, 1))), "");
        vm.assertEq(coin.balanceOf(alice), 1, "minted");
    }

    function testFuzz_only_on_the_history_that_was(bytes32 previous) public {
        _give(bob, 1);
        (, bytes32 runningHash) = settlement.head();
        vm.assume(previous != runningHash);
        bytes memory packed = pack(_batch(_mint(alice, 1)));
        bytes memory refusal = abi.encodeWithSelector(BatchLedger.WrongPrevious.selector, previous, runningHash);
        _settleAs(signer, 2, previous, packed, refusal);
        refusal = abi.encodeWithSelector(BatchLedger.WrongPrevious.selector, bytes32(0), runningHash);
        _settleAs(signer, 2, 0, packed, refusal);
        _settleAs(signer, 2, runningHash, packed, "");
    }

    function test_a_batch_settles_once_whoever_sends_it() public {
        bytes memory packed = pack(_batch(_mint(alice, 5)));
        _settleAs(signer, 1, 0, packed, "");
        (, bytes32 runningHash) = settlement.head();
        _settleAs(signer, 1, 0, packed, _notNext(1, 2));
        _settleAs(otherSigner, 1, 0, packed, _notNext(1, 2));
        _settleAs(otherSigner, 1, runningHash, packed, _notNext(1, 2));
        vm.assertEq(coin.totalSupply(), 5, "minted once");
        _settleAs(otherSigner, 2, runningHash, pack(_batch(_mint(alice, 5))), "");
        vm.assertEq(coin.totalSupply(), 10, "the next batch, by another signer");
    }

    function test_an_outcome_stays_when_others_follow() public {
        _settle(_batch(_mint(alice, 1), _mint(bob, 0), _mint(carol, 1)));
        vm.roll(BLOCK + 7);
        _give(alice, 1);
        (bool settled, uint256 successBitmap,, uint64 blockNumber) = settlement.outcomeOf(1);
        vm.assertTrue(settled, "settled");
        vm.assertEq(successBitmap, 5, "bitmap");
        vm.assertEq(blockNumber, BLOCK, "block");
        _expectUnsettled(3);
    }

    /// @dev Two words a batch, and two of the head.
    function test_a_batch_writes_four_words_of_record() public {
        _give(alice, 1);
        vm.record();
        _settle(_batch(_burn(alice, 1)));
        (, bytes32[] memory writes) = vm.accesses(address(settlement));
        vm.assertEq(writes.length, 4, "the head and the record");
    }
}
