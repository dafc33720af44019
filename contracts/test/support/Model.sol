// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.28;

import {Kind, Reason} from "../../src/shared/Instruction.sol";
import {Instruction} from "./Instructions.sol";

/// @title What the contracts should do, said again in the simplest way
/// @notice Balances, flags, links and limits in plain mappings. It shares no code with the contracts, so that a mistake
/// in them is not repeated here.
contract Model {
    mapping(address => uint256) public balance;
    mapping(address => mapping(bytes32 account => bool)) public linkedTo;
    mapping(address => bytes32[]) private accountsOf;
    mapping(address => bool) public frozen;
    mapping(address => bool) public barred;
    bool public coinPaused;
    bool public settlementPaused;
    uint256 public minted;
    uint256 public burned;

    struct Bucket {
        uint256 capacity;
        uint256 refill;
        uint256 used;
        uint256 usedAt;
    }

    mapping(Kind => Bucket) public buckets;

    function bar(address wallet) external {
        barred[wallet] = true;
    }

    function setLimit(Kind kind, uint256 capacity, uint256 refill, uint256 timestamp) external {
        uint256 used = usedNow(kind, timestamp);
        buckets[kind] = Bucket(capacity, refill, used, timestamp);
    }

    function usedNow(Kind kind, uint256 timestamp) public view returns (uint256) {
        Bucket memory bucket = buckets[kind];
        uint256 refilled = (timestamp - bucket.usedAt) * bucket.refill;
        return bucket.used > refilled ? bucket.used - refilled : 0;
    }

    function link(address wallet, bytes32 account) external {
        linkedTo[wallet][account] = true;
        accountsOf[wallet].push(account);
    }

    function unlink(address wallet, bytes32 account) external {
        linkedTo[wallet][account] = false;
    }

    function unlinkAll(address wallet) external {
        bytes32[] memory accounts = accountsOf[wallet];
        for (uint256 i = 0; i < accounts.length; ++i) linkedTo[wallet][accounts[i]] = false;
    }

    function linked(address wallet) public view returns (bool) {
        bytes32[] memory accounts = accountsOf[wallet];
        for (uint256 i = 0; i < accounts.length; ++i) if (linkedTo[wallet][accounts[i]]) return true;
        return false;
    }

    function setFrozen(address wallet, bool value) external {
        frozen[wallet] = value;
    }

    function setPaused(bool coin, bool value) external {
        if (coin) coinPaused = value;
        else settlementPaused = value;
    }

    /// @dev An ordinary transfer; whether it should succeed.
    function move(address from, address to, uint256 amount) external returns (bool) {
        if (coinPaused || frozen[from] || frozen[to] || barred[to] || balance[from] < amount) return false;
        balance[from] -= amount;
        balance[to] += amount;
        return true;
    }

    /// @dev A batch: which instructions should succeed. Reverts when the whole batch should.
    function settle(Instruction[] calldata batch, uint256 timestamp) external returns (uint256 successBitmap) {
        require(!coinPaused && !settlementPaused, "paused");
        uint256[3] memory sums;
        for (uint256 i = 0; i < batch.length; ++i) {
            if (reasonOf(batch[i]) != Reason.None) continue;
            successBitmap |= 1 << i;
            sums[uint8(batch[i].kind)] += batch[i].amount;
            if (batch[i].kind == Kind.Mint) minted += batch[i].amount;
            else balance[batch[i].from] -= batch[i].amount;
            if (batch[i].kind == Kind.Burn) burned += batch[i].amount;
            else balance[batch[i].to] += batch[i].amount;
        }
        for (uint8 kind = 0; kind < 3; ++kind) {
            if (sums[kind] == 0) continue;
            Bucket storage bucket = buckets[Kind(kind)];
            bucket.used = usedNow(Kind(kind), timestamp) + sums[kind];
            bucket.usedAt = timestamp;
            require(bucket.used <= bucket.capacity, "limit");
        }
    }

    function reasonOf(Instruction calldata instruction) public view returns (Reason) {
        (Kind kind, address from, address to) = (instruction.kind, instruction.from, instruction.to);
        if (instruction.amount == 0) return Reason.InvalidInstruction;
        if (kind != Kind.Burn && to == address(0)) return Reason.InvalidInstruction;
        if (kind != Kind.Burn && barred[to]) return Reason.BarredRecipient;
        if (kind != Kind.Mint && frozen[from]) return Reason.Frozen;
        if (kind != Kind.Burn && frozen[to]) return Reason.Frozen;
        if (kind != Kind.Mint && !linked(from)) return Reason.NotLinked;
        if (kind != Kind.Mint && balance[from] < instruction.amount) return Reason.InsufficientBalance;
        return Reason.None;
    }
}
