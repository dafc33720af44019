/** One customer: who it is, what it may do, its bank account, and its wallets. */
import { Action } from '../action.ts'
import { pathOf } from '../api.ts'
import { useLive } from '../live.ts'
import { Facts, Id, Instant, Nothing, Ringgit, Status } from '../parts.ts'
import { hrefOf } from '../router.ts'
import { Loaded } from '../table.ts'
import { html, type View } from '../view.ts'
import { Awaiting } from './awaiting.ts'
import { type CustomerRow, changesOfCustomer, customerFields } from './customer-fields.ts'
import { Export } from './export.ts'
import { type WalletRow, Wallets } from './wallets.ts'

type Shown = CustomerRow & { wallets: WalletRow[] }

export function CustomerPage({ customerId }: { customerId: string }): View {
  const path = `/customers${pathOf(customerId)}`
  const read = useLive<{ customer: Shown }>(path, { live: false })
  const show = ({ customer }: { customer: Shown }) => html`
    <${Awaiting} of=${[customerId, ...customer.wallets.map(({ address }) => address)]} />
    <${Details} of=${customer} />
    <div class="buttons section">
      <${Action} command="customer set" label="Change …" reason path=${`${path}/set`} target=${customerId} onDone=${read.refresh}
        says="Changes only the fields that you edit." fields=${customerFields(customer)}
        bodyOf=${(filled: Record<string, string>) => changesOfCustomer(filled, customer)} />
      ${
        !['SUSPENDED', 'REJECTED'].includes(customer.verification.status) &&
        html`<${Action} command="customer suspend" label="Suspend …" danger path=${`${path}/suspend`} target=${customerId} onDone=${read.refresh}
          says="Refuses the customer's new orders from now on, and holds those not signed yet. Letting them go on takes two people." />
          <${Action} command="customer release-orders" label="Release held orders …" reason path=${`${path}/release-orders`} target=${customerId} onDone=${read.refresh}
          says="Orders that were held only because the customer was suspended go on to be signed and settled, 2,000 at a time." />`
      }
      ${
        customer.bank !== null &&
        html`<${Action} command="customer set" label="Remove the bank account …" danger path=${`${path}/set`} target=${customerId}
          onDone=${read.refresh} body=${{ removeBank: true }} says="Nothing can be redeemed to an account until another one is recorded." />`
      }
      <${Action} command="payout settle-residual" label="Pay parts of a sen …" danger path="/payouts/settle-residual" target=${customerId} body=${{ customerId }}
        says="Pays the customer the whole sen that earlier payouts left over."
        result=${({ payoutId }: { payoutId: string }) => html`<p><${Id} of=${payoutId} href=${hrefOf(['payouts', payoutId])} /></p>`} />
      <${Export} customerId=${customerId} />
      <${Action} command="customer erase" label="Erase …" danger path=${`${path}/erase`} target=${customerId} onDone=${read.refresh} result=${Erased}
        says="Erases for ever what the books do not need: bank account, name of its holder, external id, verification. Nothing may be open: no order, payout, wallet or sen." />
    </div>
    <${Wallets} customerId=${customerId} of=${customer.wallets} refresh=${read.refresh} />`
  return html`<p><a href=${hrefOf(['customers'])}>Customers</a></p>
    <h1>Customer <${Id} of=${customerId} /></h1><${Loaded} from=${read} show=${show} />`
}

function Erased({ forgotten, kept }: { forgotten: string[]; kept: string[] }): View {
  return html`<p>Forgotten: ${forgotten.join(', ')}.</p><p>Kept: ${kept.join('; ')}.</p>`
}

function Details({ of: customer }: { of: Shown }): View {
  const { customerId, integrationId, verification, residency, limits, capabilities, switches, bank } = customer
  const can = (is: boolean, isAllowed: boolean) => (is ? 'yes' : isAllowed ? 'not yet' : 'no')
  return html`<${Facts} of=${[
    ['Integration', html`<${Id} of=${integrationId} href=${hrefOf(['integrations', integrationId])} />`],
    ["Partner's own id", customer.externalId ?? html`<${Nothing} />`],
    ['Type', customer.accountType.toLowerCase()],
    ['Verification', html`<${Status} of=${verification.status.toLowerCase()} /> ${verification.level}`],
    ['Verified', html`<${Instant} at=${verification.verifiedAt} />`],
    ['Residence', `${residency.countryCode}, ${residency.isResident ? 'resident' : 'not resident'}`],
    ['May mint', can(capabilities.canMint, switches.canMint)],
    ['May redeem', can(capabilities.canRedeem, switches.canRedeem)],
    ['May transfer', can(capabilities.canTransfer, switches.canTransfer)],
    ['Month’s limit', html`<${Ringgit} of=${limits.monthlyWithdrawalCap} />`],
    ['Used of it', html`<${Ringgit} of=${limits.monthlyWithdrawalUsed} />`],
    [
      'Bank account',
      bank === null ? html`<${Nothing} />` : html`<bdi>${bank.name}</bdi>, ${bank.account}, ${bank.bic}`,
    ],
    ['Created', html`<${Instant} at=${customer.createdAt} />`],
    ['Erased', customer.erasedAt === null ? undefined : html`<${Instant} at=${customer.erasedAt} />`],
    ['Orders', html`<a href=${hrefOf(['orders'], { find: customerId })}>its orders</a>`],
    ['Audit log', html`<a href=${hrefOf(['audit'], { target: customerId })}>what was done to it</a>`],
  ]} />`
}
