// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.28;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {Settlement} from "../src/Settlement.sol";
import {Settleable} from "../src/coin/Settleable.sol";
import {BatchLedger} from "../src/settlement/BatchLedger.sol";
import {Instruction, Kind, Reason} from "../src/shared/Instruction.sol";
import {FixtureTest} from "./support/Fixture.sol";

/// @title Batches: once for ever, one bad instruction alone, nothing failed for want of gas
contract SettlementBatchTest is FixtureTest {
    function _expectUnsettled(uint256 batchId) private view {
        (bool settled, uint256 successBitmap, bytes32 digest) = settlement.outcomeOf(batchId);
        vm.assertFalse(settled, "not settled");
        vm.assertEq(successBitmap, 0, "no bitmap");
        vm.assertEq(digest, bytes32(0), "no digest");
    }

    function test_settles_each_kind_in_order() public {
        _link(alice);
        Instruction[] memory batch = _batch(_mint(alice, 100), _transfer(alice, bob, 60), _burn(alice, 40));
        bytes32 digest = keccak256(abi.encode(batch));
        vm.expectEmit(address(coin));
        emit IERC20.Transfer(address(0), alice, 100);
        vm.expectEmit(address(coin));
        emit IERC20.Transfer(alice, bob, 60);
        vm.expectEmit(address(coin));
        emit IERC20.Transfer(alice, address(0), 40);
        vm.expectEmit(address(settlement));
        emit Settlement.BatchSettled(1, digest, 7);
        vm.assertEq(_settle(batch), 7, "all succeeded");
        vm.assertEq(coin.balanceOf(alice), 0, "alice");
        vm.assertEq(coin.balanceOf(bob), 60, "bob");
        vm.assertEq(coin.totalSupply(), 60, "supply");
        (bool settled,, bytes32 recorded) = settlement.outcomeOf(1);
        vm.assertTrue(settled, "settled");
        vm.assertEq(recorded, digest, "digest");
    }

    function test_a_batch_id_settles_once() public {
        _give(alice, 5);
        bytes memory settledAlready = abi.encodeWithSelector(BatchLedger.BatchAlreadySettled.selector, 1);
        (, uint256 bitmapBefore, bytes32 digestBefore) = settlement.outcomeOf(1);
        vm.startPrank(operator);
        vm.expectRevert(settledAlready);
        settlement.settle(1, _batch(_mint(alice, 5)));
        vm.expectRevert(settledAlready);
        settlement.settle(1, _batch(_mint(bob, 7)));
        vm.stopPrank();
        _pause();
        vm.expectRevert(settledAlready);
        vm.prank(operator);
        settlement.settle(1, _batch(_mint(alice, 5)));
        (, uint256 bitmapAfter, bytes32 digestAfter) = settlement.outcomeOf(1);
        vm.assertEq(bitmapAfter, bitmapBefore, "bitmap stays");
        vm.assertEq(digestAfter, digestBefore, "digest stays");
        vm.assertEq(coin.totalSupply(), 5, "minted once");
    }

    function test_a_batch_that_wholly_fails_is_used_up_too() public {
        vm.assertEq(_settle(_batch(_mint(alice, 0))), 0, "nothing succeeded");
        (bool settled,,) = settlement.outcomeOf(1);
        vm.assertTrue(settled, "settled");
        vm.expectRevert(abi.encodeWithSelector(BatchLedger.BatchAlreadySettled.selector, 1));
        vm.prank(operator);
        settlement.settle(1, _batch(_mint(alice, 1)));
    }

    function test_any_batch_id_can_be_used() public {
        uint256[3] memory ids = [uint256(0), type(uint256).max, 1 << 255];
        for (uint256 i = 0; i < ids.length; ++i) {
            _expectUnsettled(ids[i]);
            vm.prank(operator);
            settlement.settle(ids[i], _batch(_mint(alice, 1)));
        }
        vm.assertEq(coin.balanceOf(alice), 3, "three batches");
    }

    function test_every_reason() public {
        _give(alice, 10);
        _give(bob, 10);
        _link(bob);
        _settleFails(_burn(alice, 10), Reason.NotLinked);
        _settleFails(_transfer(alice, bob, 10), Reason.NotLinked);
        _settleFails(_burn(bob, 11), Reason.InsufficientBalance);
        _settleFails(_transfer(bob, alice, 11), Reason.InsufficientBalance);
        _settleFails(_burn(bob, type(uint128).max), Reason.InsufficientBalance);
        _settleFails(_mint(alice, 0), Reason.InvalidInstruction);
        _settleFails(_burn(bob, 0), Reason.InvalidInstruction);
        _settleFails(_transfer(bob, alice, 0), Reason.InvalidInstruction);
        _settleFails(_mint(alice, uint256(type(uint128).max) + 1), Reason.InvalidInstruction);
        _settleFails(_mint(alice, type(uint256).max), Reason.InvalidInstruction);
        _settleFails(Instruction(Kind.Mint, alice, bob, 1), Reason.InvalidInstruction);
        _settleFails(_mint(address(0), 1), Reason.InvalidInstruction);
        _settleFails(Instruction(Kind.Burn, bob, alice, 1), Reason.InvalidInstruction);
        _settleFails(_burn(address(0), 1), Reason.InvalidInstruction);
        _settleFails(_transfer(address(0), alice, 1), Reason.InvalidInstruction);
        _settleFails(_transfer(bob, address(0), 1), Reason.InvalidInstruction);
        _freeze(bob);
        _settleFails(_mint(bob, 1), Reason.Frozen);
        _settleFails(_burn(bob, 1), Reason.Frozen);
        vm.assertEq(coin.balanceOf(alice), 10, "alice untouched");
        vm.assertEq(coin.balanceOf(bob), 10, "bob untouched");
    }

    function test_a_wallet_may_transfer_to_itself() public {
        _give(alice, 10);
        _link(alice);
        vm.assertTrue(_settle(_transfer(alice, alice, 10)), "succeeds");
        vm.assertEq(coin.balanceOf(alice), 10, "unchanged");
    }

    function testFuzz_a_bad_instruction_harms_no_neighbour(uint256 seed, uint8 count) public {
        uint256 length = _within(count, 1, 255);
        Instruction[] memory batch = new Instruction[](length);
        uint256 expected;
        for (uint256 i = 0; i < length; ++i) {
            address wallet = address(uint160(0x10000 + i));
            uint256 choice = uint256(keccak256(abi.encode(seed, i))) % 4;
            if (choice == 0) batch[i] = _mint(wallet, 0);
            else if (choice == 1) batch[i] = _burn(wallet, 1);
            else if (choice == 2) batch[i] = _mint(wallet, type(uint256).max);
            else (batch[i], expected) = (_mint(wallet, i + 1), expected | (1 << i));
        }
        vm.assertEq(_settle(batch), expected, "exactly the good ones");
        for (uint256 i = 0; i < length; ++i) {
            uint256 balance = coin.balanceOf(address(uint160(0x10000 + i)));
            vm.assertEq(balance, expected & (1 << i) == 0 ? 0 : i + 1, "balance");
        }
    }

    function test_refuses_no_and_too_many_instructions() public {
        Instruction[] memory batch = new Instruction[](256);
        for (uint256 i = 0; i < 256; ++i) batch[i] = _mint(alice, 1);
        vm.startPrank(operator);
        vm.expectRevert(abi.encodeWithSelector(Settlement.InvalidBatchSize.selector, 256));
        settlement.settle(1, batch);
        vm.expectRevert(abi.encodeWithSelector(Settlement.InvalidBatchSize.selector, 0));
        settlement.settle(1, new Instruction[](0));
        vm.stopPrank();
        vm.prank(address(settlement));
        vm.expectRevert(abi.encodeWithSelector(Settleable.TooManyInstructions.selector, 257));
        coin.execute(new Instruction[](257));
        _expectUnsettled(1);
    }

    function test_settles_255_instructions() public {
        Instruction[] memory batch = new Instruction[](255);
        for (uint256 i = 0; i < 255; ++i) batch[i] = _mint(address(uint160(0x10000 + i)), 1);
        vm.assertEq(_settle(batch), (1 << 255) - 1, "all bits but the settled flag");
        vm.assertEq(coin.totalSupply(), 255, "supply");
    }

    function test_a_paused_coin_holds_the_batch() public {
        _pause();
        vm.expectRevert(abi.encodeWithSelector(Settlement.CoinPaused.selector));
        vm.prank(operator);
        settlement.settle(1, _batch(_mint(alice, 1)));
        _expectUnsettled(1);
        vm.prank(pauser);
        coin.unpause();
        _give(alice, 1);
    }

    function testFuzz_too_little_gas_never_fails_an_instruction(uint256 gasLimit) public {
        _link(alice);
        Instruction[] memory batch = new Instruction[](30);
        for (uint256 i = 0; i < 30; ++i) batch[i] = _mint(i % 2 == 0 ? alice : address(uint160(0x10000 + i)), 1);
        gasLimit = _within(gasLimit, 20_000, 900_000);
        vm.prank(operator);
        (bool succeeded,) = address(settlement).call{gas: gasLimit}(abi.encodeCall(settlement.settle, (1, batch)));
        (bool settled, uint256 successBitmap,) = settlement.outcomeOf(1);
        vm.assertEq(settled, succeeded, "settled or reverted");
        vm.assertEq(successBitmap, succeeded ? (1 << 30) - 1 : 0, "all or nothing");
        vm.assertEq(coin.totalSupply(), succeeded ? 30 : 0, "all or nothing minted");
    }

    function testFuzz_calldata_not_canonical_reverts(uint256 word, uint256 dirt) public {
        bytes memory data = abi.encodeCall(settlement.settle, (1, _batch(_mint(alice, 1))));
        // Words of the only instruction: kind, from, to. Its kind may be dirtied beyond 2, its addresses above 160 bits.
        word = _within(word, 0, 2);
        dirt = word == 0 ? _within(dirt, 3, type(uint256).max) : (dirt % type(uint96).max + 1) << 160;
        uint256 offset = 0x20 + 4 + 0x60 + word * 0x20;
        assembly {
            let position := add(data, offset)
            mstore(position, or(mload(position), dirt))
        }
        vm.prank(operator);
        (bool succeeded,) = address(settlement).call(data);
        vm.assertFalse(succeeded, "reverts");
        _expectUnsettled(1);
        vm.assertEq(coin.totalSupply(), 0, "nothing minted");
    }

    function testFuzz_the_digest_is_that_of_abi_encode(uint256 seed, uint8 count) public {
        Instruction[] memory batch = new Instruction[](_within(count, 1, 40));
        for (uint256 i = 0; i < batch.length; ++i) {
            uint256 random = uint256(keccak256(abi.encode(seed, i)));
            address from = random & 1 == 0 ? address(0) : address(uint160(random >> 8));
            address to = random & 2 == 0 ? address(0) : address(uint160(random >> 16));
            batch[i] = Instruction(Kind(random % 3), from, to, random % (CAPACITY / 40));
        }
        _settle(batch);
        (,, bytes32 digest) = settlement.outcomeOf(1);
        vm.assertEq(digest, keccak256(abi.encode(batch)), "digest");
    }
}
