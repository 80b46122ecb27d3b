import { i18n } from '@lingui/core'
import type { Delivery } from '../../../../wire/botCommands.ts'
import { formatDayAndTime } from '../../../ui/dates.ts'
import { deliveryReason } from './deliveryReason.ts'
import listStyles from '../SettingsList.module.css'

/** Deliveries to another service that failed, with their errors. */
export function FailedDeliveries({ deliveries }: { deliveries: readonly Delivery[] }) {
  if (deliveries.length === 0) return null
  return (
    <details>
      <summary>
        {i18n._('{count, plural, one {# failed delivery} other {# failed deliveries}}', {
          count: deliveries.length,
        })}
      </summary>
      <ul className={listStyles.list}>
        {deliveries.map((delivery) => (
          <li key={delivery.id} className="note">
            {formatDayAndTime(delivery.created_at)} · <bdi>{deliveryReason(delivery.error)}</bdi> ·{' '}
            {delivery.failed_at ? i18n._('given up') : i18n._('will be retried')}
          </li>
        ))}
      </ul>
    </details>
  )
}
