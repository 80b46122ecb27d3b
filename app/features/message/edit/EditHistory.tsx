import { i18n } from '@lingui/core'
import { useCallback } from 'react'
import { messageVersions } from '../../../data/messages/messageVersions.ts'
import { useMessage } from '../../../data/messages/reactions.ts'
import { formatDateTime } from '../../../ui/dates.ts'
import { Dialog } from '../../../ui/Dialog.tsx'
import layout from '../../../ui/dialogLayout.module.css'
import { useAsync } from '../../../ui/useAsync.ts'
import { Body } from '../body/Body.tsx'

interface Props {
  channelId: string
  messageId: string
  onClose: () => void
}

/** The present text of an own message and its earlier ones, latest first. */
export default function EditHistory({ channelId, messageId, onClose }: Props) {
  const message = useMessage(channelId, messageId)
  const load = useCallback(() => messageVersions(messageId), [messageId])
  const versions = useAsync(load)
  return (
    <Dialog title={i18n._('Edit history')} onClose={onClose}>
      <div className={layout.body}>
        <p className={layout.small}>
          {i18n._('Only you can see earlier versions. They’re deleted with the message.')}
        </p>
        {message ? (
          <Version title={i18n._('Now')} body={message.body} />
        ) : (
          <p className={layout.muted}>{i18n._('This message was deleted.')}</p>
        )}
        {versions?.ok === false ? <p role="alert">{versions.failure.message}</p> : null}
        {versions?.ok
          ? versions.value.map(({ rev, body, written_at }) => (
              <Version key={rev} title={formatDateTime(written_at)} body={body} />
            ))
          : null}
      </div>
    </Dialog>
  )
}

function Version({ title, body }: { title: string; body: string }) {
  return (
    <section>
      <h3 className={layout.label}>{title}</h3>
      <Body body={body} />
    </section>
  )
}
