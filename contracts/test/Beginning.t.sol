// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.28;

import {IAccessControlDefaultAdminRules} from
    "@openzeppelin/contracts/access/extensions/IAccessControlDefaultAdminRules.sol";
import {Initializable} from "@openzeppelin/contracts/proxy/utils/Initializable.sol";
import {Coin} from "../src/Coin.sol";
import {Settlement} from "../src/Settlement.sol";
import {Limited} from "../src/settlement/Limited.sol";
import {Governed} from "../src/shared/Governed.sol";
import {FixtureTest} from "./support/Fixture.sol";

/// @title Initialisation, once, and with everything that is needed
contract BeginningTest is FixtureTest {
    bytes private constant ZERO = abi.encodeWithSelector(Governed.ZeroAddress.selector);
    bytes private constant ZERO_ADMIN = abi.encodeWithSelector(
        IAccessControlDefaultAdminRules.AccessControlInvalidDefaultAdmin.selector, address(0)
    );

    function test_neither_proxy_nor_implementation_is_initialised_again() public {
        bytes memory refusal = abi.encodeWithSelector(Initializable.InvalidInitialization.selector);
        Coin[2] memory coins = [Coin(_newCoin()), coin];
        Settlement[2] memory settlements = [Settlement(_newSettlement()), settlement];
        for (uint256 i = 0; i < 2; ++i) {
            vm.expectRevert(refusal);
            coins[i].initialize(_coinBeginning());
            vm.expectRevert(refusal);
            settlements[i].initialize(_settlementBeginning(address(coin)));
        }
    }

    function _expectCoinRefused(Coin.Beginning memory beginning, bytes memory refusal) private {
        _expectRefused(_newCoin(), abi.encodeCall(Coin.initialize, (beginning)), refusal);
    }

    function _expectSettlementRefused(Settlement.Beginning memory beginning, bytes memory refusal) private {
        _expectRefused(_newSettlement(), abi.encodeCall(Settlement.initialize, (beginning)), refusal);
    }

    /// @dev Through `new`, so that the proxy's own revert is seen.
    function _expectRefused(address implementation, bytes memory initialization, bytes memory refusal) private {
        try this.proxy(implementation, initialization) {
            vm.assertTrue(false, "should be refused");
        } catch (bytes memory answer) {
            vm.assertEq(answer, refusal, "for the reason expected");
        }
    }

    function proxy(address implementation, bytes calldata initialization) external returns (address created) {
        bytes memory code =
            bytes.concat(vm.getCode("ERC1967Proxy.sol:ERC1967Proxy"), abi.encode(implementation, initialization));
        assembly {
            created := create(0, add(code, 0x20), mload(code))
            if iszero(created) {
                returndatacopy(0, 0, returndatasize())
                revert(0, returndatasize())
            }
        }
    }

    function test_the_coin_needs_everybody() public {
        vm.assertTrue(this.proxy(_newCoin(), abi.encodeCall(Coin.initialize, (_coinBeginning()))) != address(0), "works");
        Coin.Beginning memory beginning = _coinBeginning();
        beginning.admin = address(0);
        _expectCoinRefused(beginning, ZERO_ADMIN);
        beginning = _coinBeginning();
        beginning.settler = address(0);
        _expectCoinRefused(beginning, ZERO);
        beginning = _coinBeginning();
        beginning.linkers[0] = address(0);
        _expectCoinRefused(beginning, ZERO);
        beginning = _coinBeginning();
        beginning.freezers[0] = address(0);
        _expectCoinRefused(beginning, ZERO);
        beginning = _coinBeginning();
        beginning.pausers[1] = address(0);
        _expectCoinRefused(beginning, ZERO);
        beginning = _coinBeginning();
        beginning.unpausers[0] = address(0);
        _expectCoinRefused(beginning, ZERO);
    }

    function test_the_settlement_needs_a_coin_and_everybody() public {
        _expectSettlementRefused(_settlementBeginning(address(0)), ZERO);
        Settlement.Beginning memory beginning = _settlementBeginning(address(coin));
        beginning.admin = address(0);
        _expectSettlementRefused(beginning, ZERO_ADMIN);
        beginning = _settlementBeginning(address(coin));
        beginning.signers[1] = address(0);
        _expectSettlementRefused(beginning, ZERO);
        beginning = _settlementBeginning(address(coin));
        beginning.limiters[0] = address(0);
        _expectSettlementRefused(beginning, ZERO);
        beginning = _settlementBeginning(address(coin));
        beginning.pausers[0] = address(0);
        _expectSettlementRefused(beginning, ZERO);
        beginning = _settlementBeginning(address(coin));
        beginning.unpausers[0] = address(0);
        _expectSettlementRefused(beginning, ZERO);
    }

    function test_no_limit_begins_above_its_ceiling() public {
        for (uint8 i = 0; i < 3; ++i) {
            Settlement.Beginning memory beginning = _settlementBeginning(address(coin));
            beginning.limits[i].capacity = CEILING + 1;
            bytes memory refusal = abi.encodeWithSelector(Limited.AboveCeiling.selector, i, CEILING, CEILING_REFILL);
            _expectSettlementRefused(beginning, refusal);
        }
    }
}
