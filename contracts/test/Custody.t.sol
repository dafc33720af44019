// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.28;

import {PausableUpgradeable} from "@openzeppelin/contracts-upgradeable/utils/PausableUpgradeable.sol";
import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {IERC20Errors} from "@openzeppelin/contracts/interfaces/draft-IERC6093.sol";
import {Coin} from "../src/Coin.sol";
import {Freezable} from "../src/coin/Freezable.sol";
import {Seizable} from "../src/coin/Seizable.sol";
import {Rescuable} from "../src/shared/Rescuable.sol";
import {FixtureTest} from "./support/Fixture.sol";
import {PlainCoin} from "./support/PlainCoin.sol";

/// @title Frozen funds are seized to one address; foreign tokens are given back
contract CustodyTest is FixtureTest {
    function setUp() public override {
        super.setUp();
        _give(alice, 100e6);
    }

    function _seize(address wallet, uint256 amount) private {
        vm.prank(admin);
        coin.seize(wallet, amount);
    }

    function _setSeizureAddress(address to) private {
        vm.prank(admin);
        coin.setSeizureAddress(to);
    }

    function test_seizes_coins_of_a_frozen_wallet() public {
        _link("alice");
        _freeze(alice);
        vm.expectEmit(address(coin));
        emit IERC20.Transfer(alice, treasury, 60e6);
        vm.expectEmit(address(coin));
        emit Seizable.FundsSeized(alice, treasury, 60e6);
        _seize(alice, 60e6);
        vm.assertEq(coin.balanceOf(treasury), 60e6, "seized");
        vm.assertEq(coin.balanceOf(alice), 40e6, "the rest stays");
        vm.assertTrue(coin.isFrozen(alice) && coin.isLinked(alice), "still frozen");
        vm.assertEq(coin.totalSupply(), 100e6, "nothing destroyed");
        vm.expectRevert(
            abi.encodeWithSelector(IERC20Errors.ERC20InsufficientBalance.selector, alice, 40e6, 40e6 + 1)
        );
        _seize(alice, 40e6 + 1);
    }

    function test_seizes_from_frozen_wallets_alone() public {
        vm.expectRevert(abi.encodeWithSelector(Seizable.NotFrozen.selector, alice));
        _seize(alice, 1);
    }

    function test_seizes_to_the_address_that_was_fixed_alone() public {
        vm.assertEq(coin.seizureAddress(), treasury, "fixed at deployment");
        _freeze(alice);
        vm.expectEmit(address(coin));
        emit Seizable.SeizureAddressSet(bob);
        _setSeizureAddress(bob);
        _seize(alice, 1);
        vm.assertEq(coin.balanceOf(bob), 1, "to the new address");
        _setSeizureAddress(address(0));
        vm.expectRevert(abi.encodeWithSelector(Seizable.NoSeizureAddress.selector));
        _seize(alice, 1);
        _setSeizureAddress(address(settlement));
        vm.expectRevert(abi.encodeWithSelector(IERC20Errors.ERC20InvalidReceiver.selector, address(settlement)));
        _seize(alice, 1);
        _setSeizureAddress(carol);
        _freeze(carol);
        vm.expectRevert(abi.encodeWithSelector(Freezable.FrozenWallet.selector, carol));
        _seize(alice, 1);
    }

    function test_a_coin_may_begin_without_a_seizure_address() public {
        Coin.Beginning memory beginning = _coinBeginning();
        beginning.seizureAddress = address(0);
        _deployWith(beginning);
        vm.assertEq(coin.seizureAddress(), address(0), "none");
        _freeze(alice);
        vm.expectRevert(abi.encodeWithSelector(Seizable.NoSeizureAddress.selector));
        _seize(alice, 0);
    }

    function test_nothing_is_seized_while_paused() public {
        _freeze(alice);
        _pause();
        vm.expectRevert(abi.encodeWithSelector(PausableUpgradeable.EnforcedPause.selector));
        _seize(alice, 1);
    }

    function test_rescues_foreign_tokens() public {
        PlainCoin token = PlainCoin(vm.deployCode("PlainCoin.sol:PlainCoin"));
        Rescuable[2] memory both = [Rescuable(address(coin)), Rescuable(address(settlement))];
        for (uint256 i = 0; i < 2; ++i) {
            token.mint(address(both[i]), 10);
            vm.expectEmit(address(both[i]));
            emit Rescuable.TokenRescued(address(token), carol, 7);
            vm.prank(admin);
            both[i].rescueToken(token, carol, 7);
            vm.assertEq(token.balanceOf(address(both[i])), 3, "what is left");
        }
        vm.assertEq(token.balanceOf(carol), 14, "rescued");
    }

    /// @dev No holder's coins are within reach of a rescue.
    function test_a_rescue_takes_no_coins_of_holders() public {
        vm.expectRevert();
        vm.prank(admin);
        coin.rescueToken(coin, carol, 1);
        vm.expectRevert();
        vm.prank(admin);
        settlement.rescueToken(coin, carol, 1);
        vm.assertEq(coin.balanceOf(alice), 100e6, "untouched");
    }
}
