import { i18n } from '@lingui/core'
import { discardSend, retrySend } from '../../data/messages.ts'
import type { TakenBack } from '../../data/messages.ts'
import type { PendingMessage } from '../../data/timeline.ts'
import { Button } from '../../ui/Button.tsx'
import { cx } from '../../ui/cx.ts'
import { Face } from '../../ui/Face.tsx'
import { useDelayed } from '../../ui/useDelayed.ts'
import { useMe } from '../people/MeContext.ts'
import { Body } from './body/Body.tsx'
import { Author } from './lines/Author.tsx'
import row from './MessageRow.module.css'
import styles from './PendingRow.module.css'
import { PendingFiles } from './files/PendingFiles.tsx'

interface Props {
  message: PendingMessage
  head: boolean
  /** What was written in a discarded message, to be put back where it was typed. */
  onWords: (words: TakenBack) => void
}

/** One's own words on their way: drawn as sent, until they are late or refused. */
export function PendingRow({ message, head, onWords }: Props) {
  const { profile } = useMe()
  const late = useDelayed(message.state === 'pending', 3_000)
  const retry = (button: HTMLElement) => {
    // The button goes at once; the row stays.
    button.closest('article')?.focus({ preventScroll: true })
    void retrySend(message.id)
  }
  const discard = async () => {
    const words = await discardSend(message.id)
    if (words) onWords(words)
  }
  return (
    <article
      className={cx(row.row, head && row.head)}
      tabIndex={-1}
      aria-label={i18n._('{name}, sending', { name: profile.name })}
    >
      {head ? (
        <Face id={profile.id} name={profile.name} className={row.face} />
      ) : (
        <div className={row.aside} />
      )}
      <div className={row.content}>
        {head ? <Author id={profile.id} name={profile.name} at={message.createdAt} tabStop={false} /> : null}
        {message.body ? <Body body={message.body} /> : null}
        {message.files.length ? <PendingFiles files={message.files} /> : null}
        {message.state === 'failed' ? (
          <div className={styles.failed} role="alert">
            <p>{message.failure?.sentence ?? i18n._('Couldn’t send this.')}</p>
            <Button look="quiet" onClick={(event) => retry(event.currentTarget)}>
              {i18n._('Try again')}
            </Button>
            <Button look="quiet" onClick={() => void discard()}>
              {i18n._('Discard')}
            </Button>
          </div>
        ) : null}
        {late ? <span className={row.edited}>{i18n._('Sending…')}</span> : null}
      </div>
    </article>
  )
}
