import { i18n } from '@lingui/core'
import { isChannel } from '../../../../../wire/channels.ts'
import { callCommand } from '../../../../data/client/callCommand.ts'
import { useChannel } from '../../../../data/channels/channels.ts'
import { seenBy } from '../../../../data/messages/seenBy.ts'
import { useMembers } from '../../../../data/people/people.ts'
import { useNameOf } from '../../../../data/people/useNameOf.ts'
import { privateExportOf } from '../../../../data/workspaces/privateExport.ts'
import { createQuery } from '../../../../data/queries/createQuery.ts'
import { useQuery } from '../../../../data/queries/useQuery.ts'
import { cx } from '../../../../ui/cx.ts'
import { formatDateTime } from '../../../../ui/dates.ts'
import { Dialog } from '../../../../ui/Dialog.tsx'
import layout from '../../../../ui/dialogLayout.module.css'
import { QueryContent } from '../../../parts/lists/QueryContent.tsx'
import { Avatar } from '../../../parts/members/avatar/Avatar.tsx'
import { titleOf } from '../../../parts/channels/titleOf.ts'
import { useMe } from '../../../parts/members/MeContext.ts'
import { PersonButton } from '../../../parts/members/PersonButton.tsx'

interface Props {
  channelId: string
  messageId: string
  onClose: () => void
}

const messageReaders = createQuery({ fetch: (message: string) => callCommand('who_can_read', { message }) })

/** Everyone who can read a message and its files, by how they have access; computed by the database. */
export default function WhoCanRead({ channelId, messageId, onClose }: Props) {
  const readers = useQuery(messageReaders, [messageId])
  const showsReceipts = useMe().workspace.read_receipts !== undefined
  return (
    <Dialog title={i18n._('Who can read this?')} onClose={onClose}>
      <QueryContent query={readers} loading={i18n._('Loading the people')}>
        {(found) => (
          <>
            {showsReceipts ? <SeenBy messageId={messageId} /> : null}
            <Readers channelId={channelId} {...found} />
            <ExportNote channelId={channelId} />
          </>
        )}
      </QueryContent>
    </Dialog>
  )
}

/** Who has read up to the message, where the workspace shows it; nothing where it does not. */
function SeenBy({ messageId }: { messageId: string }) {
  const { value, failure } = useQuery(seenBy, [messageId])
  if (failure) return <p className={cx(layout.body, 'note')}>{failure.message}</p>
  if (!value) return null
  return (
    <div className={layout.body}>
      {value.people.length ? (
        <People title={i18n._('Read by')} ids={value.people} />
      ) : (
        <p className="note">{i18n._('Nobody else has read this message yet.')}</p>
      )}
    </div>
  )
}

/** Who else can get a private conversation, where the workspace allows it. */
function ExportNote({ channelId }: { channelId: string }) {
  const { workspace } = useMe()
  const channel = useChannel(channelId)
  const state = privateExportOf(workspace)
  if (!state || typeof channel === 'string' || channel.kind === 'public') return null
  return (
    <p className={cx(layout.body, 'note')}>
      {state === true
        ? i18n._('Owners of this workspace can export private channels and direct messages.')
        : i18n._(
            'From {time} on, owners of this workspace can export private channels and direct messages.',
            { time: formatDateTime(state) },
          )}
    </p>
  )
}

interface ReadersProps {
  channelId: string
  people: string[]
  members: string[]
}

/** The readers in three groups: members, guests, and everyone else because the channel is public. */
function Readers({ channelId, people, members }: ReadersProps) {
  const channel = useChannel(channelId)
  const roles = new Map(useMembers().map(({ profile, role }) => [profile.id, role]))
  const place = typeof channel === 'string' ? '' : titleOf(channel)
  const joined = new Set(members)
  const isGuest = (id: string) => roles.get(id) === 'guest'
  return (
    <div className={layout.body}>
      <p className="note">
        {i18n._(
          '{count, plural, one {# person} other {# people}} can read this message and its files right now.',
          { count: people.length },
        )}
      </p>
      <People
        title={
          typeof channel !== 'string' && isChannel(channel)
            ? i18n._('Members of {channel}', { channel: place })
            : i18n._('People in this conversation')
        }
        ids={people.filter((id) => joined.has(id) && !isGuest(id))}
      />
      <People
        title={i18n._('Guests of {channel}', { channel: place })}
        ids={people.filter((id) => joined.has(id) && isGuest(id))}
      />
      <People
        title={i18n._('Everyone else in the workspace, because {channel} is public', { channel: place })}
        ids={people.filter((id) => !joined.has(id))}
      />
    </div>
  )
}

function People({ title, ids }: { title: string; ids: string[] }) {
  const nameOf = useNameOf()
  if (ids.length === 0) return null
  const people = ids
    .map((id) => ({ id, name: nameOf(id) ?? i18n._('Former member') }))
    .sort((a, b) => a.name.localeCompare(b.name))
  return (
    <section>
      <h3 className="label">
        {title} ({people.length})
      </h3>
      <ul className={layout.list}>
        {people.map(({ id, name }) => (
          <li key={id}>
            <PersonButton id={id} className={layout.row}>
              <Avatar id={id} name={name} />
              <span className={layout.name} dir="auto">
                {name}
              </span>
            </PersonButton>
          </li>
        ))}
      </ul>
    </section>
  )
}
