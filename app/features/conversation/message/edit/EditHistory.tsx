import { i18n } from '@lingui/core'
import type { Workspace } from '../../../../../wire/people.ts'
import { messageVersions } from '../../../../data/messages/messageVersions.ts'
import { useMessage } from '../../../../data/messages/reactions.ts'
import { useQuery } from '../../../../data/queries/useQuery.ts'
import { formatDateTime } from '../../../../ui/dates.ts'
import { Dialog } from '../../../../ui/Dialog.tsx'
import layout from '../../../../ui/dialogLayout.module.css'
import { QueryContent } from '../../../parts/lists/QueryContent.tsx'
import { useMe } from '../../../parts/members/MeContext.ts'
import { Body } from '../../../parts/body/Body.tsx'
import { TextChanges } from './TextChanges.tsx'

interface Props {
  channelId: string
  messageId: string
  onClose: () => void
}

/** The present text of a message and its earlier ones, latest first; of messages of others where the workspace shows them. */
export default function EditHistory({ channelId, messageId, onClose }: Props) {
  const message = useMessage(channelId, messageId)
  return (
    <Dialog title={i18n._('Edit history')} onClose={onClose}>
      <div className={layout.body}>
        <p className="note">
          {whoSees(useMe().workspace.edit_history_by)}{' '}
          {i18n._('Earlier versions are deleted with the message.')}
        </p>
        {message ? null : <p className="muted">{i18n._('This message was deleted.')}</p>}
        <QueryContent query={useQuery(messageVersions, [messageId])} loading={i18n._('Edit history')}>
          {(versions) => (
            <>
              {message ? (
                <Version title={i18n._('Now')} body={message.body} before={versions[0]?.body} />
              ) : null}
              {versions.map(({ rev, body, written_at }, index) => (
                <Version
                  key={rev}
                  title={formatDateTime(written_at)}
                  body={body}
                  before={versions[index + 1]?.body}
                />
              ))}
            </>
          )}
        </QueryContent>
      </div>
    </Dialog>
  )
}

function whoSees(by: Workspace['edit_history_by']): string {
  if (by === 'members') return i18n._('All members who can read this message see its earlier versions.')
  if (by === 'admins')
    return i18n._('Only its author, owners and admins see earlier versions of this message.')
  return i18n._('Only you see earlier versions of this message.')
}

interface VersionProps {
  title: string
  body: string
  /** The version before; absent for the first one. */
  before: string | undefined
}

function Version({ title, body, before }: VersionProps) {
  return (
    <section>
      <h3 className="label">{title}</h3>
      {before === undefined ? <Body body={body} /> : <TextChanges before={before} after={body} />}
    </section>
  )
}
