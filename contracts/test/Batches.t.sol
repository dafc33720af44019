// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.28;

import {PausableUpgradeable} from "@openzeppelin/contracts-upgradeable/utils/PausableUpgradeable.sol";
import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {Settlement} from "../src/Settlement.sol";
import {Settleable} from "../src/coin/Settleable.sol";
import {Kind, PackedInstructions, Reason} from "../src/shared/Instruction.sol";
import {FixtureTest} from "./support/Fixture.sol";
import {Instruction, pack} from "./support/Instructions.sol";
import {Vm} from "./support/Vm.sol";

/// @title What the instructions of a batch do: one bad one alone, nothing failed for want of gas
contract BatchesTest is FixtureTest {
    function test_settles_each_kind_in_order() public {
        _link("alice");
        Instruction[] memory batch = _batch(_mint(alice, 100), _transfer(alice, bob, 60), _burn(alice, 40));
        bytes24 digest = bytes24(keccak256(pack(batch)));
        bytes memory call = _nextCall(pack(batch));
        vm.expectEmit(address(coin));
        emit IERC20.Transfer(address(0), alice, 100);
        vm.expectEmit(address(coin));
        emit IERC20.Transfer(alice, bob, 60);
        vm.expectEmit(address(coin));
        emit IERC20.Transfer(alice, address(0), 40);
        vm.expectEmit(address(settlement));
        emit Settlement.BatchSettled(1, digest, 7);
        vm.prank(signer, signer);
        (bool succeeded,) = address(settlement).call(call);
        vm.assertTrue(succeeded, "settles");
        vm.assertEq(coin.balanceOf(alice), 0, "alice");
        vm.assertEq(coin.balanceOf(bob), 60, "bob");
        vm.assertEq(coin.totalSupply(), 60, "supply");
        (bool settled, uint256 successBitmap, bytes24 recorded, uint64 blockNumber) = settlement.outcomeOf(1);
        vm.assertTrue(settled, "settled");
        vm.assertEq(successBitmap, 7, "all succeeded");
        vm.assertEq(bytes32(recorded), bytes32(digest), "digest");
        vm.assertEq(blockNumber, BLOCK, "block");
    }

    function test_is_37_bytes_a_mint_or_burn_and_57_a_transfer() public view {
        vm.assertEq(pack(_batch(_mint(alice, 1))).length, 37, "mint");
        vm.assertEq(pack(_batch(_burn(alice, 1))).length, 37, "burn");
        vm.assertEq(pack(_batch(_transfer(alice, bob, 1))).length, 57, "transfer");
    }

    /// @dev The format byte by byte, apart from the helper that packs.
    function test_reads_the_documented_bytes() public {
        address wallet = 0x1111111111111111111111111111111111111111;
        bytes memory packed = bytes.concat(
            hex"00", hex"00000000000f4240", hex"a1a2a3a4a5a6a7a8", hex"1111111111111111111111111111111111111111"
        );
        vm.assertEq(packed, pack(_batch(Instruction(Kind.Mint, address(0), wallet, 1e6, hex"a1a2a3a4a5a6a7a8"))), "packed");
        bytes memory call = _nextCall(packed);
        vm.prank(signer, signer);
        (bool succeeded,) = address(settlement).call(call);
        vm.assertTrue(succeeded, "settles");
        vm.assertEq(coin.balanceOf(wallet), 1e6, "minted");
    }

    function test_every_reason() public {
        _give(alice, 10);
        _give(bob, 10);
        _link("bob");
        _settleFails(_burn(alice, 10), Reason.NotLinked);
        _settleFails(_transfer(alice, bob, 10), Reason.NotLinked);
        _settleFails(_burn(bob, 11), Reason.InsufficientBalance);
        _settleFails(_transfer(bob, alice, 11), Reason.InsufficientBalance);
        _settleFails(_burn(bob, type(uint64).max), Reason.InsufficientBalance);
        _settleFails(_mint(alice, 0), Reason.InvalidInstruction);
        _settleFails(_burn(bob, 0), Reason.InvalidInstruction);
        _settleFails(_transfer(bob, alice, 0), Reason.InvalidInstruction);
        _settleFails(_mint(address(0), 1), Reason.InvalidInstruction);
        _settleFails(_transfer(bob, address(0), 1), Reason.InvalidInstruction);
        _settleFails(_burn(address(0), 1), Reason.NotLinked);
        _settleFails(_transfer(address(0), alice, 1), Reason.NotLinked);
        address[2] memory contracts = [address(coin), address(settlement)];
        for (uint256 i = 0; i < 2; ++i) {
            _settleFails(_mint(contracts[i], 1), Reason.BarredRecipient);
            _settleFails(_transfer(bob, contracts[i], 1), Reason.BarredRecipient);
        }
        _freeze(bob);
        _settleFails(_mint(bob, 1), Reason.Frozen);
        _settleFails(_burn(bob, 1), Reason.Frozen);
        _settleFails(_transfer(bob, alice, 1), Reason.Frozen);
        vm.assertEq(coin.balanceOf(alice), 10, "alice untouched");
        vm.assertEq(coin.balanceOf(bob), 10, "bob untouched");
        vm.assertEq(coin.totalSupply(), 20, "supply untouched");
    }

    /// @dev Of several reasons the first one is told: each step takes away the one told before.
    function test_the_order_of_reasons() public {
        address barred = _named("barred");
        _freeze(barred);
        bytes32 role = coin.SETTLER_ROLE();
        vm.prank(admin);
        coin.grantRole(role, barred);
        _freeze(alice);
        _settleFails(_mint(barred, 0), Reason.InvalidInstruction);
        _settleFails(_mint(barred, 1), Reason.BarredRecipient);
        _settleFails(_transfer(alice, barred, 0), Reason.InvalidInstruction);
        _settleFails(_transfer(alice, address(0), 1), Reason.InvalidInstruction);
        _settleFails(_transfer(alice, barred, 1), Reason.BarredRecipient);
        _settleFails(_transfer(alice, bob, 1), Reason.Frozen);
        _settleFails(_transfer(carol, alice, 1), Reason.Frozen);
        _settleFails(_burn(alice, 0), Reason.InvalidInstruction);
        _settleFails(_burn(alice, 1), Reason.Frozen);
        _settleFails(_transfer(carol, bob, 1), Reason.NotLinked);
        _settleFails(_burn(carol, 1), Reason.NotLinked);
        _link("carol");
        _settleFails(_transfer(carol, bob, 1), Reason.InsufficientBalance);
        _settleFails(_burn(carol, 1), Reason.InsufficientBalance);
    }

    function test_reports_every_failure_once_and_in_order() public {
        Instruction[] memory batch = _mints(5);
        batch[0].amount = 0;
        batch[2] = _burn(alice, 1);
        batch[4].to = address(0);
        vm.recordLogs();
        vm.assertEq(_settle(batch), 1 << 1 | 1 << 3, "the good ones");
        Vm.Log[] memory logs = vm.getRecordedLogs();
        uint8[3] memory indexes = [0, 2, 4];
        Reason[3] memory reasons = [Reason.InvalidInstruction, Reason.NotLinked, Reason.InvalidInstruction];
        vm.assertEq(logs.length, 6, "two transfers, three failures, one batch");
        for (uint256 i = 0; i < 3; ++i) {
            Vm.Log memory log = logs[i + 2];
            vm.assertEq(log.topics[0], Settlement.InstructionFailed.selector, "failure");
            vm.assertEq(log.topics[1], bytes32(uint256(1)), "batch id");
            vm.assertEq(log.topics[2], bytes32(uint256(indexes[i])), "index");
            vm.assertEq(log.data, abi.encode(reasons[i]), "reason");
        }
    }

    function test_a_batch_that_wholly_fails_is_used_up_too() public {
        vm.assertEq(_settle(_batch(_burn(alice, 1))), 0, "nothing succeeded");
        (bool settled,,,) = settlement.outcomeOf(1);
        vm.assertTrue(settled, "settled");
    }

    function test_a_wallet_may_transfer_to_itself() public {
        _give(alice, 10);
        _link("alice");
        vm.assertTrue(_settle(_transfer(alice, alice, 10)), "succeeds");
        vm.assertEq(coin.balanceOf(alice), 10, "unchanged");
        _settleFails(_transfer(alice, alice, 11), Reason.InsufficientBalance);
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
            else if (choice == 2) batch[i] = _transfer(wallet, alice, 1);
            else (batch[i], expected) = (_mint(wallet, i + 1), expected | (1 << i));
        }
        vm.assertEq(_settle(batch), expected, "exactly the good ones");
        for (uint256 i = 0; i < length; ++i) {
            uint256 balance = coin.balanceOf(address(uint160(0x10000 + i)));
            vm.assertEq(balance, expected & (1 << i) == 0 ? 0 : i + 1, "balance");
        }
    }

    function test_settles_255_instructions_and_no_more_and_not_none() public {
        _settleReverts("", abi.encodeWithSelector(Settleable.NoInstructions.selector));
        _settleReverts(pack(_mints(256)), abi.encodeWithSelector(Settleable.TooManyInstructions.selector));
        vm.assertEq(coin.totalSupply(), 0, "nothing minted");
        vm.assertEq(_settle(_mints(255)), (1 << 255) - 1, "all bits but the settled flag");
        vm.assertEq(coin.totalSupply(), 255, "supply");
        Instruction[] memory batch = _mints(255);
        batch[254].amount = 0;
        vm.assertEq(_settle(batch), (1 << 254) - 1, "the last one fails");
    }

    function testFuzz_bytes_that_are_no_instructions_revert(uint8 kind, uint256 cut, bool last) public {
        Instruction[] memory batch = _batch(_mint(alice, 1), _transfer(alice, bob, 1), _mint(bob, 1));
        bytes memory packed = pack(batch);
        uint256 offset = last ? 94 : 37;
        if (kind > 2) {
            packed[offset] = bytes1(kind);
        } else {
            cut = _within(cut, 1, last ? 36 : 56);
            offset = last ? 94 : 37;
            bytes memory short = new bytes(offset + cut);
            for (uint256 i = 0; i < short.length; ++i) short[i] = packed[i];
            packed = short;
        }
        _settleReverts(packed, abi.encodeWithSelector(PackedInstructions.MalformedInstruction.selector, offset));
        vm.assertEq(coin.totalSupply(), 0, "nothing minted");
    }

    function test_a_paused_coin_holds_the_batch() public {
        _pause();
        _settleReverts(_mint(alice, 1), abi.encodeWithSelector(PausableUpgradeable.EnforcedPause.selector));
        _unpause();
        _give(alice, 1);
    }

    function test_settlement_is_stopped_alone() public {
        vm.prank(pauser);
        settlement.pause();
        _settleReverts(_mint(alice, 1), abi.encodeWithSelector(Settlement.SettlementPaused.selector));
        vm.prank(alice);
        coin.transfer(bob, 0);
        vm.prank(unpauser);
        settlement.unpause();
        _give(alice, 1);
    }

    function testFuzz_too_little_gas_never_fails_an_instruction(uint256 gasLimit) public {
        bytes memory call = _nextCall(pack(_mints(30)));
        gasLimit = _within(gasLimit, 20_000, 1_000_000);
        vm.prank(signer, signer);
        (bool succeeded,) = address(settlement).call{gas: gasLimit}(call);
        (bool settled, uint256 successBitmap,,) = settlement.outcomeOf(1);
        vm.assertEq(settled, succeeded, "settled or reverted");
        vm.assertEq(successBitmap, succeeded ? (1 << 30) - 1 : 0, "all or nothing");
        vm.assertEq(coin.totalSupply(), succeeded ? 30 : 0, "all or nothing minted");
    }

    function test_the_supply_stays_below_its_bound() public {
        bytes32 slot = bytes32(uint256(0x1c5b71e390fbdf7fac18e3e48a1419f2be3ccff361a50679abe951dcb20a4f01));
        _give(alice, 5);
        vm.assertEq(vm.load(address(coin), slot), bytes32(uint256(5)), "where the supply is");
        vm.store(address(coin), slot, bytes32(uint256(type(uint120).max) - 3));
        _settleReverts(_mint(alice, 4), abi.encodeWithSignature("SafeCastOverflowedUintDowncast(uint8,uint256)", 120, 1 << 120));
        _give(alice, 3);
        vm.assertEq(coin.totalSupply(), type(uint120).max, "supply");
    }

    function test_burning_more_than_is_minted_lowers_the_supply() public {
        _give(alice, 100);
        _link("alice");
        vm.assertEq(_settle(_batch(_burn(alice, 60), _mint(bob, 10), _burn(alice, 30))), 7, "all succeed");
        vm.assertEq(coin.totalSupply(), 20, "supply");
        vm.assertEq(_settle(_batch(_burn(alice, 5), _mint(bob, 5), _mint(carol, 0))), 3, "two succeed");
        vm.assertEq(coin.totalSupply(), 20, "supply stays");
    }

    /// @dev Each wallet of a batch is read from one word and written to it; the supply is written once.
    function test_a_batch_writes_one_word_a_wallet_and_the_supply_once() public {
        _give(alice, 100);
        _link("alice");
        Instruction[] memory batch = _batch(_mint(bob, 7), _mint(carol, 8), _burn(alice, 9));
        vm.record();
        vm.assertEq(_settle(batch), 7, "all succeed");
        (, bytes32[] memory writes) = vm.accesses(address(coin));
        vm.assertEq(writes.length, 4, "three wallets and the supply");
    }
}
