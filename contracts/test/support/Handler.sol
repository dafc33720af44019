// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.28;

import {Instruction, Kind} from "../../src/shared/Instruction.sol";
import {Fixture} from "./Fixture.sol";
import {Model} from "./Model.sol";

/// @title Random use of both contracts by everybody at once
/// @notice Every action is done on the contracts and on the model, and must end the same way on both.
contract Handler is Fixture {
    Model public model;
    address[] public wallets;
    uint256 public clock = NOW;
    uint256 public settledBatches;
    uint256 public refusedBatches;
    uint256 public failedInstructions;
    mapping(uint256 batchId => bytes32) public outcomes;

    constructor() {
        _deploy();
        model = new Model(CAPACITY, REFILL, NOW);
        for (uint256 i = 0; i < 6; ++i) wallets.push(address(uint160(0xABC0000 + i)));
        for (uint256 i = 0; i < 3; ++i) _setLinked(wallets[i], true);
    }

    function coinAddress() external view returns (address) {
        return address(coin);
    }

    function walletCount() external view returns (uint256) {
        return wallets.length;
    }

    function outcomeHash(uint256 batchId) public view returns (bytes32) {
        (bool settled, uint256 successBitmap, bytes32 digest) = settlement.outcomeOf(batchId);
        return settled ? keccak256(abi.encode(successBitmap, digest)) : bytes32(0);
    }

    function settle(uint256 seed, uint8 size) external {
        Instruction[] memory batch = _randomBatch(seed, _within(size, 1, 20));
        uint256 batchId = settledBatches + 1;
        vm.prank(operator);
        try settlement.settle(batchId, batch) {
            (, uint256 successBitmap, bytes32 digest) = settlement.outcomeOf(batchId);
            vm.assertEq(successBitmap, model.settle(batch, clock), "the instructions that should succeed");
            vm.assertEq(digest, keccak256(abi.encode(batch)), "digest");
            settledBatches = batchId;
            outcomes[batchId] = outcomeHash(batchId);
            for (uint256 i = 0; i < batch.length; ++i) if (successBitmap & (1 << i) == 0) ++failedInstructions;
        } catch {
            ++refusedBatches;
            try model.settle(batch, clock) returns (uint256) {
                vm.assertTrue(false, "the batch should have been settled");
            } catch {}
        }
    }

    function settleAgain(uint256 seed, uint256 which) external {
        if (settledBatches == 0) return;
        uint256 batchId = _within(which, 1, settledBatches);
        vm.prank(operator);
        try settlement.settle(batchId, _randomBatch(seed, 3)) {
            vm.assertTrue(false, "a batch id was settled twice");
        } catch {}
    }

    function transfer(uint256 from, uint256 to, uint256 amount) external {
        (address sender, address recipient) = (_wallet(from), _wallet(to));
        amount = _within(amount, 0, coin.balanceOf(sender) + 1);
        vm.prank(sender);
        (bool succeeded,) = address(coin).call(abi.encodeCall(coin.transfer, (recipient, amount)));
        vm.assertEq(succeeded, model.move(sender, recipient, amount), "the transfer ends as it should");
    }

    function transferFrom(uint256 from, uint256 spender, uint256 to, uint256 amount) external {
        (address owner, address by, address recipient) = (_wallet(from), _wallet(spender), _wallet(to));
        amount = _within(amount, 0, coin.balanceOf(owner) + 1);
        vm.prank(owner);
        coin.approve(by, amount);
        vm.prank(by);
        (bool succeeded,) = address(coin).call(abi.encodeCall(coin.transferFrom, (owner, recipient, amount)));
        bool expected = !model.frozen(by) && model.move(owner, recipient, amount);
        vm.assertEq(succeeded, expected, "the transfer ends as it should");
    }

    function setLinked(uint256 wallet, bool value) external {
        _setLinked(_wallet(wallet), value);
    }

    function setFrozen(uint256 wallet, uint8 value) external {
        bool frozen = value < 64;
        model.setFrozen(_wallet(wallet), frozen);
        vm.prank(freezer);
        frozen ? coin.freeze(_wallet(wallet)) : coin.unfreeze(_wallet(wallet));
    }

    function setPaused(uint8 value) external {
        bool paused = value < 32;
        model.setPaused(paused);
        vm.prank(pauser);
        paused ? coin.pause() : coin.unpause();
    }

    function wait_(uint16 duration) external {
        clock += duration;
        vm.warp(clock);
    }

    function _setLinked(address wallet, bool value) private {
        model.setLinked(wallet, value);
        vm.prank(linker);
        value ? coin.linkWallet(wallet) : coin.unlinkWallet(wallet);
    }

    function _wallet(uint256 which) private view returns (address) {
        return wallets[which % wallets.length];
    }

    function _randomBatch(uint256 seed, uint256 size) private view returns (Instruction[] memory batch) {
        batch = new Instruction[](size);
        for (uint256 i = 0; i < size; ++i) {
            uint256 random = uint256(keccak256(abi.encode(seed, i)));
            Kind kind = Kind(random % 3);
            // One in sixteen has an address that does not suit its kind.
            address from = (kind == Kind.Mint) != (random >> 8 & 15 == 0) ? address(0) : _wallet(random >> 32);
            address to = (kind == Kind.Burn) != (random >> 16 & 15 == 0) ? address(0) : _wallet(random >> 64);
            batch[i] = Instruction(kind, from, to, (random >> 96) % (CAPACITY / 32));
        }
    }
}
