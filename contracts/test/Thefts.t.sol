// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.28;

import {Linkable} from "../src/coin/Linkable.sol";
import {BatchLedger} from "../src/settlement/BatchLedger.sol";
import {Limited} from "../src/settlement/Limited.sol";
import {Kind, Reason} from "../src/shared/Instruction.sol";
import {FixtureTest} from "./support/Fixture.sol";
import {Instruction, pack} from "./support/Instructions.sol";

/// @title Thefts and accidents that once worked, each ended as it must
contract TheftsTest is FixtureTest {
    /// @dev Who has the service's linker links nobody's wallet: the holder's key is not there.
    function test_a_strangers_wallet_is_neither_linked_nor_emptied() public {
        _give(alice, 100e6);
        vm.expectRevert(abi.encodeWithSelector(Linkable.InvalidConsent.selector, alice, ACCOUNT));
        vm.prank(linker);
        coin.linkWallet(alice, ACCOUNT, NOW, "");
        _settleFails(_transfer(alice, stranger, 100e6), Reason.NotLinked);
        _settleFails(_burn(alice, 100e6), Reason.NotLinked);
        vm.assertEq(coin.balanceOf(alice), 100e6, "untouched");
    }

    /// @dev The consent that linked the wallet to one partner's customer is of no use for another's.
    function test_another_partners_linked_wallet_is_not_linked_to_ones_own_customer() public {
        bytes memory consent = _consent("alice", ACCOUNT, NOW + 1);
        vm.startPrank(linker);
        coin.linkWallet(alice, ACCOUNT, NOW + 1, consent);
        vm.expectRevert(abi.encodeWithSelector(Linkable.InvalidConsent.selector, alice, OTHER_ACCOUNT));
        coin.linkWallet(alice, OTHER_ACCOUNT, NOW + 1, consent);
        vm.stopPrank();
        vm.assertFalse(coin.isLinkedTo(alice, OTHER_ACCOUNT), "which everybody can see");
    }

    /// @dev Equal in all but the order that it names: another digest, so nobody takes one for the other.
    function test_an_equal_mint_of_another_order_has_another_digest() public {
        Instruction memory mine = _mint(alice, 5e6);
        Instruction memory stolen = _mint(alice, 5e6);
        (mine.tag, stolen.tag) = ("order 1", "order 2");
        _settle(_batch(stolen));
        (,, bytes24 digest,) = settlement.outcomeOf(1);
        vm.assertFalse(digest == bytes24(keccak256(pack(_batch(mine)))), "not mine");
        bytes memory packed = pack(_batch(mine));
        vm.expectRevert(abi.encodeWithSelector(BatchLedger.NotNextBatch.selector, 1, 2));
        vm.prank(signer, signer);
        settlement.settle(1, 0, packed);
    }

    /// @dev A thief's worthless batches move the head, and nothing stands in the way of the next batch.
    function test_worthless_batches_hurt_nobody() public {
        for (uint256 i = 0; i < 5; ++i) {
            Instruction[] memory batch = _batch(_mint(alice, 0));
            bytes memory call = _nextCall(pack(batch));
            vm.prank(otherSigner, otherSigner);
            (bool succeeded,) = address(settlement).call(call);
            vm.assertTrue(succeeded, "settles");
        }
        (uint256 lastBatchId,) = settlement.head();
        vm.assertEq(lastBatchId, 5, "the head tells how many");
        for (uint256 i = 0; i < 3; ++i) {
            vm.assertEq(settlement.availableOf(Kind(i)), _limitOf(Kind(i)).capacity, "no bucket is touched");
        }
        _give(alice, 1);
    }

    function test_no_id_but_the_next_can_be_used_up() public {
        uint256[3] memory ids = [type(uint256).max, 1_000_000, 0];
        bytes memory packed = pack(_batch(_mint(alice, 1)));
        for (uint256 i = 0; i < 3; ++i) {
            vm.expectRevert(abi.encodeWithSelector(BatchLedger.NotNextBatch.selector, ids[i], 1));
            vm.prank(signer, signer);
            settlement.settle(ids[i], 0, packed);
        }
    }

    function test_ping_pong_transfers_leave_redeems_alone() public {
        _link("alice");
        _link("bob");
        _link("carol");
        uint256 pot = _limitOf(Kind.Transfer).capacity / 20;
        _give(alice, pot);
        _give(carol, 50e6);
        for (uint256 i = 0; i < 20; ++i) {
            vm.assertTrue(_settle(i % 2 == 0 ? _transfer(alice, bob, pot) : _transfer(bob, alice, pot)), "moves");
        }
        bytes memory refusal = abi.encodeWithSelector(Limited.LimitExceeded.selector, Kind.Transfer, pot, 0);
        _settleReverts(_transfer(alice, bob, pot), refusal);
        vm.assertTrue(_settle(_burn(carol, 50e6)), "everybody's redeems go on");
    }

    function test_coins_cannot_be_sent_to_the_coin_or_the_settlement() public {
        _give(alice, 5e6);
        _link("alice");
        address[2] memory contracts = [address(coin), address(settlement)];
        for (uint256 i = 0; i < 2; ++i) {
            vm.expectRevert();
            vm.prank(alice);
            coin.transfer(contracts[i], 5e6);
            _settleFails(_mint(contracts[i], 5e6), Reason.BarredRecipient);
            _settleFails(_transfer(alice, contracts[i], 5e6), Reason.BarredRecipient);
            vm.assertEq(coin.balanceOf(contracts[i]), 0, "none");
        }
    }

    /// @dev Two services with copies of one database settle the same order in batches of different make-up: one wins.
    function test_two_clones_of_a_service_do_not_settle_an_order_twice() public {
        _give(bob, 1);
        (, bytes32 read) = settlement.head();
        Instruction memory order = _mint(alice, 5e6);
        vm.prank(signer, signer);
        settlement.settle(2, read, pack(_batch(order)));
        bytes memory otherMakeUp = pack(_batch(_mint(carol, 1), order, _mint(bob, 1)));
        vm.expectRevert(abi.encodeWithSelector(BatchLedger.NotNextBatch.selector, 2, 3));
        vm.prank(otherSigner, otherSigner);
        settlement.settle(2, read, otherMakeUp);
        // Nor as the batch after that, made by somebody who does not know of it.
        (, bytes32 runningHash) = settlement.head();
        vm.expectRevert(abi.encodeWithSelector(BatchLedger.WrongPrevious.selector, read, runningHash));
        vm.prank(otherSigner, otherSigner);
        settlement.settle(3, read, otherMakeUp);
        vm.assertEq(coin.balanceOf(alice), 5e6, "minted once");
    }

    /// @dev A batch in the mempool that a restored database forgot executes later only if nothing came before it.
    function test_a_forgotten_batch_does_not_execute_after_another() public {
        bytes memory forgotten = _nextCall(pack(_batch(_mint(alice, 5e6))));
        _give(alice, 5e6);
        vm.prank(signer, signer);
        (bool succeeded,) = address(settlement).call(forgotten);
        vm.assertFalse(succeeded, "reverts");
        _give(bob, 1);
        vm.prank(signer, signer);
        (succeeded,) = address(settlement).call(forgotten);
        vm.assertFalse(succeeded, "for ever");
        vm.assertEq(coin.balanceOf(alice), 5e6, "minted once");
    }
}
