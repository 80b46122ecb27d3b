import { i18n } from '@lingui/core'
import { useUnsent } from '../../../data/messages/useUnsent.ts'
import { PendingRow } from './PendingRow.tsx'

/**
 * Messages that were refused where the reader can't post any longer: shown with the reason, to be copied or
 * discarded.
 */
export default function UnsentMessages({ channelId }: { channelId: string }) {
  const unsent = useUnsent(channelId)
  if (unsent.length === 0) return null
  return (
    <section aria-label={i18n._('Not sent')}>
      {unsent.map((message, index) => (
        <PendingRow key={message.id} message={message} isFirstOfRun={index === 0} onRestore={null} />
      ))}
    </section>
  )
}
