// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.28;

import {IAccessControl} from "@openzeppelin/contracts/access/IAccessControl.sol";
import "@openzeppelin/contracts/proxy/ERC1967/ERC1967Proxy.sol";
import {Coin} from "../../src/Coin.sol";
import {Settlement} from "../../src/Settlement.sol";
import {Instruction, Kind, Reason} from "../../src/shared/Instruction.sol";
import {Vm} from "./Vm.sol";

/// @title Both contracts, deployed as in production, with a key for each role
abstract contract Fixture {
    Vm internal constant vm = Vm(address(uint160(uint256(keccak256("hevm cheat code")))));

    /// @dev When every test starts. Not `block.timestamp`: the optimizer may read that anew after a warp.
    uint256 internal constant NOW = 1_800_000_000;
    uint256 internal constant CAPACITY = 1_000_000e6;
    uint256 internal constant REFILL = 10e6;

    address internal immutable admin = _named("admin");
    address internal immutable operator = _named("operator");
    address internal immutable pauser = _named("pauser");
    address internal immutable freezer = _named("freezer");
    address internal immutable linker = _named("linker");
    address internal immutable stranger = _named("stranger");
    address internal immutable alice = _named("alice");
    address internal immutable bob = _named("bob");
    address internal immutable carol = _named("carol");

    Coin internal coin;
    Settlement internal settlement;
    uint256 internal lastBatchId;

    function _deploy() internal {
        vm.warp(NOW);
        bytes memory initializeCoin =
            abi.encodeCall(Coin.initialize, ("Ringgit Coin", "MYRC", admin, pauser, freezer, linker));
        coin = Coin(_proxy(_newCoin(), initializeCoin));
        settlement = Settlement(_proxy(_newSettlement(), _initializeSettlement()));
        bytes32 settlerRole = coin.SETTLER_ROLE();
        vm.prank(admin);
        coin.grantRole(settlerRole, address(settlement));
    }

    // Deployed from their artifacts: `new` would compile a copy of each contract into every test.

    function _newCoin() internal returns (address) {
        return vm.deployCode("Coin.sol:Coin");
    }

    function _newSettlement() internal returns (address) {
        return vm.deployCode("Settlement.sol:Settlement");
    }

    function _proxy(address implementation, bytes memory initialization) internal returns (address) {
        return vm.deployCode("ERC1967Proxy.sol:ERC1967Proxy", abi.encode(implementation, initialization));
    }

    function _initializeSettlement() internal view returns (bytes memory) {
        address[] memory operators = new address[](1);
        operators[0] = operator;
        Settlement.Limit memory limit = Settlement.Limit(CAPACITY, REFILL);
        return abi.encodeCall(Settlement.initialize, (address(coin), admin, operators, limit, limit));
    }

    function _named(string memory name) internal pure returns (address) {
        return vm.addr(uint256(keccak256(bytes(name))));
    }

    function _keyOf(string memory name) internal pure returns (uint256) {
        return uint256(keccak256(bytes(name)));
    }

    function _mint(address to, uint256 amount) internal pure returns (Instruction memory) {
        return Instruction(Kind.Mint, address(0), to, amount);
    }

    function _burn(address from, uint256 amount) internal pure returns (Instruction memory) {
        return Instruction(Kind.Burn, from, address(0), amount);
    }

    function _transfer(address from, address to, uint256 amount) internal pure returns (Instruction memory) {
        return Instruction(Kind.Transfer, from, to, amount);
    }

    function _batch(Instruction memory a) internal pure returns (Instruction[] memory batch) {
        batch = new Instruction[](1);
        batch[0] = a;
    }

    function _batch(Instruction memory a, Instruction memory b, Instruction memory c)
        internal
        pure
        returns (Instruction[] memory batch)
    {
        batch = new Instruction[](3);
        (batch[0], batch[1], batch[2]) = (a, b, c);
    }

    /// @dev Settles under a new batch id and returns the success bitmap.
    function _settle(Instruction[] memory batch) internal returns (uint256 successBitmap) {
        uint256 batchId = ++lastBatchId;
        vm.prank(operator);
        settlement.settle(batchId, batch);
        (, successBitmap,) = settlement.outcomeOf(batchId);
    }

    function _settle(Instruction memory instruction) internal returns (bool succeeded) {
        return _settle(_batch(instruction)) == 1;
    }

    /// @dev Settles one instruction that has to fail, and checks the reason it is reported with.
    function _settleFails(Instruction memory instruction, Reason reason) internal {
        vm.expectEmit(address(settlement));
        emit Settlement.InstructionFailed(lastBatchId + 1, 0, reason);
        vm.assertFalse(_settle(instruction), "the instruction fails");
    }

    function _give(address wallet, uint256 amount) internal {
        vm.assertTrue(_settle(_mint(wallet, amount)), "the mint succeeds");
    }

    function _link(address wallet) internal {
        vm.prank(linker);
        coin.linkWallet(wallet);
    }

    function _freeze(address wallet) internal {
        vm.prank(freezer);
        coin.freeze(wallet);
    }

    function _pause() internal {
        vm.prank(pauser);
        coin.pause();
    }

    function _refused(address account, bytes32 role) internal pure returns (bytes memory) {
        return abi.encodeWithSelector(IAccessControl.AccessControlUnauthorizedAccount.selector, account, role);
    }

    /// @dev Maps a fuzzed number into a range, both ends included.
    function _within(uint256 value, uint256 least, uint256 most) internal pure returns (uint256) {
        return least + value % (most - least + 1);
    }
}

/// @title A test that starts with freshly deployed contracts
abstract contract FixtureTest is Fixture {
    function setUp() public virtual {
        _deploy();
    }
}
