// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.28;

import {Initializable} from "@openzeppelin/contracts/proxy/utils/Initializable.sol";
import {ERC1967Utils} from "@openzeppelin/contracts/proxy/ERC1967/ERC1967Utils.sol";
import {SlotDerivation} from "@openzeppelin/contracts/utils/SlotDerivation.sol";
import {Coin} from "../src/Coin.sol";
import {Settlement} from "../src/Settlement.sol";
import {Reason} from "../src/shared/Instruction.sol";
import {FixtureTest} from "./support/Fixture.sol";
import "./support/PlainCoin.sol";
import {CoinV2, SettlementV2} from "./support/Upgrades.sol";

/// @title Initialisation and upgrades
contract UpgradeTest is FixtureTest {
    bytes private constant INITIALIZED = abi.encodeWithSelector(Initializable.InvalidInitialization.selector);

    function test_neither_proxy_nor_implementation_can_be_initialised_again() public {
        Coin implementation = Coin(_newCoin());
        vm.expectRevert(INITIALIZED);
        implementation.initialize("a", "b", stranger, stranger, stranger, stranger);
        vm.expectRevert(INITIALIZED);
        coin.initialize("a", "b", stranger, stranger, stranger, stranger);

        Settlement other = Settlement(_newSettlement());
        Settlement.Limit memory limit = Settlement.Limit(1, 1);
        vm.expectRevert(INITIALIZED);
        other.initialize(address(coin), stranger, new address[](0), limit, limit);
        vm.expectRevert(INITIALIZED);
        settlement.initialize(address(coin), stranger, new address[](0), limit, limit);
    }

    function test_initial_holders_must_not_be_zero() public {
        address implementation = _newCoin();
        for (uint256 i = 0; i < 4; ++i) {
            address[4] memory holders = [admin, pauser, freezer, linker];
            holders[i] = address(0);
            vm.expectRevert(abi.encodeWithSelector(Coin.ZeroAddressRole.selector));
            _proxy(
                implementation,
                abi.encodeCall(Coin.initialize, ("a", "b", holders[0], holders[1], holders[2], holders[3]))
            );
        }
        implementation = _newSettlement();
        Settlement.Limit memory limit = Settlement.Limit(1, 1);
        bytes memory zero = abi.encodeWithSelector(Settlement.ZeroAddress.selector);
        vm.expectRevert(zero);
        _proxy(
            implementation, abi.encodeCall(Settlement.initialize, (address(0), admin, new address[](0), limit, limit))
        );
        vm.expectRevert(zero);
        _proxy(
            implementation,
            abi.encodeCall(Settlement.initialize, (address(coin), address(0), new address[](0), limit, limit))
        );
        vm.expectRevert(zero);
        _proxy(
            implementation, abi.encodeCall(Settlement.initialize, (address(coin), admin, new address[](1), limit, limit))
        );
    }

    function test_an_upgrade_of_the_coin_keeps_everything() public {
        _give(alice, 100e6);
        _link(alice);
        _freeze(bob);
        _pause();
        address implementation = vm.deployCode("Upgrades.sol:CoinV2");
        vm.prank(admin);
        coin.upgradeToAndCall(implementation, abi.encodeCall(CoinV2.initializeV2, (42)));

        vm.assertEq(CoinV2(address(coin)).mottoOf(), 42, "the new state");
        vm.assertEq(coin.name(), "Ringgit Coin", "name");
        vm.assertEq(coin.balanceOf(alice), 100e6, "balance");
        vm.assertEq(coin.totalSupply(), 100e6, "supply");
        vm.assertTrue(coin.isLinked(alice) && coin.isFrozen(bob) && coin.paused(), "flags");
        vm.prank(pauser);
        coin.unpause();
        vm.assertTrue(_settle(_burn(alice, 100e6)), "still settles");
        _settleFails(_mint(bob, 1), Reason.Frozen);
        vm.expectRevert(INITIALIZED);
        CoinV2(address(coin)).initializeV2(43);
    }

    function test_an_upgrade_of_the_settlement_keeps_everything() public {
        _give(alice, 100e6);
        (, uint256 bitmap, bytes32 digest) = settlement.outcomeOf(1);
        address implementation = vm.deployCode("Upgrades.sol:SettlementV2");
        vm.prank(admin);
        settlement.upgradeToAndCall(implementation, "");

        vm.assertEq(SettlementV2(address(settlement)).version(), 2, "upgraded");
        (bool settled, uint256 bitmapAfter, bytes32 digestAfter) = settlement.outcomeOf(1);
        vm.assertTrue(settled, "batch");
        vm.assertEq(bitmapAfter, bitmap, "bitmap");
        vm.assertEq(digestAfter, digest, "digest");
        vm.assertEq(settlement.coin(), address(coin), "coin");
        vm.assertEq(settlement.mintAvailable(), CAPACITY - 100e6, "limit");
        _give(alice, 1);
    }

    function test_only_a_uups_implementation_is_accepted() public {
        address plain = vm.deployCode("PlainCoin.sol:PlainCoin");
        vm.expectRevert(abi.encodeWithSelector(ERC1967Utils.ERC1967InvalidImplementation.selector, plain));
        vm.prank(admin);
        coin.upgradeToAndCall(plain, "");
    }

    /// @dev Storage that moves is storage lost: the slots are pinned here by name and by where the data is found.
    function test_storage_is_namespaced() public {
        _link(alice);
        _give(alice, 3);
        bytes32 flags = keccak256(abi.encode(alice, SlotDerivation.erc7201Slot("stablecoin.storage.WalletFlags")));
        vm.assertEq(vm.load(address(coin), flags), bytes32(uint256(1)), "flags");
        bytes32 batch = keccak256(abi.encode(1, SlotDerivation.erc7201Slot("stablecoin.storage.BatchLedger")));
        vm.assertEq(vm.load(address(settlement), batch), bytes32(uint256(1) | (1 << 255)), "batch");
        bytes32 limits = SlotDerivation.erc7201Slot("stablecoin.storage.Limited");
        vm.assertEq(vm.load(address(settlement), limits), bytes32(CAPACITY | (REFILL << 128)), "limit");
        bytes32 stored = vm.load(address(settlement), SlotDerivation.erc7201Slot("stablecoin.storage.Settlement"));
        vm.assertEq(stored, bytes32(uint256(uint160(address(coin)))), "coin");
        for (uint256 slot = 0; slot < 8; ++slot) {
            vm.assertEq(vm.load(address(coin), bytes32(slot)), bytes32(0), "nothing outside (coin)");
            vm.assertEq(vm.load(address(settlement), bytes32(slot)), bytes32(0), "nothing outside (settlement)");
        }
    }
}
