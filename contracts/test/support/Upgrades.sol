// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.28;

import {SlotDerivation} from "@openzeppelin/contracts/utils/SlotDerivation.sol";
import {Coin} from "../../src/Coin.sol";
import {Settlement} from "../../src/Settlement.sol";

/// @title A later Coin, with state of its own
contract CoinV2 is Coin {
    /// @custom:storage-location erc7201:stablecoin.storage.CoinV2
    struct CoinV2Storage {
        uint256 _motto;
    }

    /// @notice Sets up what is new.
    /// @param motto The new state.
    function initializeV2(uint256 motto) external reinitializer(2) {
        _v2()._motto = motto;
    }

    /// @notice The new state.
    /// @return The number.
    function mottoOf() external view returns (uint256) {
        return _v2()._motto;
    }

    function _v2() private pure returns (CoinV2Storage storage $) {
        bytes32 slot = SlotDerivation.erc7201Slot("stablecoin.storage.CoinV2");
        assembly {
            $.slot := slot
        }
    }
}

/// @title A later Settlement
contract SettlementV2 is Settlement {
    /// @notice Which version this is.
    /// @return Always 2.
    function version() external pure returns (uint256) {
        return 2;
    }
}
