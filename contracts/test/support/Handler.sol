// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.28;

import {Limited} from "../../src/settlement/Limited.sol";
import {Kind} from "../../src/shared/Instruction.sol";
import {Fixture} from "./Fixture.sol";
import {Instruction, pack} from "./Instructions.sol";
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
    uint256 public seized;
    bytes32 public runningHash;
    /// @dev The most that may have been minted by now.
    uint256 public mintBound;
    mapping(uint256 batchId => bytes32) public outcomes;

    uint256 private constant HOLDERS = 5;

    constructor() {
        _deploy();
        model = new Model();
        for (uint8 i = 0; i < 3; ++i) {
            Limited.Limit memory limit = _limitOf(Kind(i));
            model.setLimit(Kind(i), limit.capacity, limit.refillPerSecond, NOW);
        }
        mintBound = _limitOf(Kind.Mint).capacity;
        for (uint256 i = 0; i < HOLDERS; ++i) wallets.push(vm.addr(_key(i)));
        wallets.push(treasury);
        wallets.push(address(coin));
        wallets.push(address(settlement));
        model.bar(address(coin));
        model.bar(address(settlement));
        for (uint256 i = 0; i < 3; ++i) link(i, i);
    }

    function coinAddress() external view returns (address) {
        return address(coin);
    }

    function walletCount() external view returns (uint256) {
        return wallets.length;
    }

    function headHash() external view returns (bytes32 now_) {
        (, now_) = settlement.head();
    }

    function availableOf(Kind kind) external view returns (uint256) {
        return settlement.availableOf(kind);
    }

    function outcomeHash(uint256 batchId) public view returns (bytes32) {
        (bool settled, uint256 successBitmap, bytes24 digest, uint64 blockNumber) = settlement.outcomeOf(batchId);
        return settled ? keccak256(abi.encode(successBitmap, digest, blockNumber)) : bytes32(0);
    }

    function settle(uint256 seed, uint8 size) external {
        Instruction[] memory batch = _randomBatch(seed, _within(size, 1, 20));
        bytes memory packed = pack(batch);
        uint256 batchId = settledBatches + 1;
        address by = seed % 2 == 0 ? signer : otherSigner;
        vm.prank(by, by);
        try settlement.settle(batchId, runningHash, packed) {
            bytes24 digest = bytes24(keccak256(packed));
            _noteOutcome(batchId, digest, model.settle(batch, clock), batch.length);
            runningHash = keccak256(bytes.concat(runningHash, digest));
        } catch {
            ++refusedBatches;
            try model.settle(batch, clock) returns (uint256) {
                vm.assertTrue(false, "the batch should have been settled");
            } catch {}
        }
    }

    function _noteOutcome(uint256 batchId, bytes24 digest, uint256 expected, uint256 length) private {
        (, uint256 successBitmap, bytes24 recorded,) = settlement.outcomeOf(batchId);
        vm.assertEq(successBitmap, expected, "the instructions that should succeed");
        vm.assertEq(bytes32(recorded), bytes32(digest), "digest");
        settledBatches = batchId;
        outcomes[batchId] = outcomeHash(batchId);
        for (uint256 i = 0; i < length; ++i) if (successBitmap & (1 << i) == 0) ++failedInstructions;
    }

    /// @dev Any other id, or any other history, settles nothing.
    function settleWrongly(uint256 seed, uint256 batchId, bytes32 previous) external {
        if (batchId == settledBatches + 1 && previous == runningHash) return;
        if (seed % 3 == 0) batchId = settledBatches + 1;
        else if (seed % 3 == 1) (batchId, previous) = (_within(batchId, 0, settledBatches), runningHash);
        if (batchId == settledBatches + 1 && previous == runningHash) return;
        bytes memory packed = pack(_randomBatch(seed, 3));
        vm.prank(signer, signer);
        try settlement.settle(batchId, previous, packed) {
            vm.assertTrue(false, "a batch was settled out of its order");
        } catch {}
    }

    function transfer(uint256 from, uint256 to, uint256 amount) external {
        (address sender, address recipient) = (_holder(from), _wallet(to));
        amount = _within(amount, 0, coin.balanceOf(sender) + 1);
        vm.prank(sender);
        (bool succeeded,) = address(coin).call(abi.encodeCall(coin.transfer, (recipient, amount)));
        vm.assertEq(succeeded, model.move(sender, recipient, amount), "the transfer ends as it should");
    }

    function transferFrom(uint256 from, uint256 spender, uint256 to, uint256 amount) external {
        (address owner, address by, address recipient) = (_holder(from), _holder(spender), _wallet(to));
        amount = _within(amount, 0, coin.balanceOf(owner) + 1);
        vm.prank(owner);
        coin.approve(by, amount);
        vm.prank(by);
        (bool succeeded,) = address(coin).call(abi.encodeCall(coin.transferFrom, (owner, recipient, amount)));
        bool expected = !model.frozen(by) && model.move(owner, recipient, amount);
        vm.assertEq(succeeded, expected, "the transfer ends as it should");
    }

    function seize(uint256 which, uint256 amount) external {
        address wallet = _holder(which);
        amount = _within(amount, 0, coin.balanceOf(wallet) + 1);
        vm.prank(admin);
        (bool succeeded,) = address(coin).call(abi.encodeCall(coin.seize, (wallet, amount)));
        bool wasFrozen = model.frozen(wallet);
        model.setFrozen(wallet, false);
        vm.assertEq(succeeded, wasFrozen && model.move(wallet, treasury, amount), "the seizure ends as it should");
        model.setFrozen(wallet, wasFrozen);
        if (succeeded) seized += amount;
    }

    function link(uint256 which, uint256 account) public {
        (address wallet, bytes32 named) = (_holder(which), account % 2 == 0 ? ACCOUNT : OTHER_ACCOUNT);
        bytes memory consent = _signLink(_key(which % HOLDERS), wallet, named, coin.linkNonce(wallet), clock);
        vm.prank(linker);
        coin.linkWallet(wallet, named, clock, consent);
        if (!model.linkedTo(wallet, named)) model.link(wallet, named);
    }

    function unlink(uint256 which, uint256 account, bool byHolder) external {
        (address wallet, bytes32 named) = (_holder(which), account % 2 == 0 ? ACCOUNT : OTHER_ACCOUNT);
        model.unlink(wallet, named);
        vm.prank(byHolder ? wallet : linker);
        coin.unlinkWallet(wallet, named);
    }

    function unlinkSelf(uint256 which) external {
        model.unlinkAll(_holder(which));
        vm.prank(_holder(which));
        coin.unlinkSelf();
    }

    function setFrozen(uint256 which, uint8 value) external {
        address wallet = wallets[which % (HOLDERS + 1)];
        bool frozen = value < 64;
        model.setFrozen(wallet, frozen);
        vm.prank(freezer);
        frozen ? coin.freeze(wallet) : coin.unfreeze(wallet);
    }

    function setPaused(uint8 value, bool ofCoin) external {
        bool paused = value < 32;
        model.setPaused(ofCoin, paused);
        vm.prank(paused ? pauser : unpauser);
        if (ofCoin) paused ? coin.pause() : coin.unpause();
        else paused ? settlement.pause() : settlement.unpause();
    }

    function setLimit(uint8 which, uint64 capacity, uint64 refill) external {
        Kind kind = Kind(which % 3);
        capacity = uint64(_within(capacity, CEILING / 4, CEILING));
        refill = uint64(_within(refill, 0, CEILING_REFILL));
        if (kind == Kind.Mint) mintBound += capacity;
        model.setLimit(kind, capacity, refill, clock);
        vm.prank(limiter);
        settlement.setLimit(kind, Limited.Limit(capacity, refill));
    }

    function wait_(uint16 duration) external {
        (, uint256 refill,,) = model.buckets(Kind.Mint);
        mintBound += duration * refill;
        clock += duration;
        vm.warp(clock);
        vm.roll(BLOCK + clock - NOW);
    }

    function _key(uint256 holder) private pure returns (uint256) {
        return uint256(keccak256(abi.encode("holder", holder)));
    }

    function _holder(uint256 which) private view returns (address) {
        return wallets[which % HOLDERS];
    }

    function _wallet(uint256 which) private view returns (address) {
        return wallets[which % wallets.length];
    }

    function _randomBatch(uint256 seed, uint256 size) private view returns (Instruction[] memory batch) {
        batch = new Instruction[](size);
        for (uint256 i = 0; i < size; ++i) {
            uint256 random = uint256(keccak256(abi.encode(seed, i)));
            Kind kind = Kind(random % 3);
            address from = random >> 8 & 15 == 0 ? address(0) : _wallet(random >> 32);
            address to = random >> 16 & 15 == 0 ? address(0) : _wallet(random >> 64);
            uint64 amount = random >> 24 & 15 == 0 ? 0 : uint64((random >> 96) % (CEILING / 32));
            batch[i] = Instruction(kind, from, to, amount, bytes8(uint64(random)));
        }
    }
}
