import { i18n } from '@lingui/core'
import { useState } from 'react'
import type { ImportReport, MovingChoices, WorkspaceImport } from '../../../../wire/moving.ts'
import { importPreview, removeImport, startImport } from '../../../data/administration/importExport.ts'
import { useNameOf } from '../../../data/people/useNameOf.ts'
import { useQuery } from '../../../data/queries/useQuery.ts'
import { QueryContent } from '../../../features/parts/lists/QueryContent.tsx'
import { Button } from '../../../ui/Button.tsx'
import { Checkbox } from '../../../ui/Checkbox.tsx'
import { formatBytes } from '../../../ui/formatBytes.ts'
import { GrowingList } from '../../../ui/GrowingList.tsx'
import { SelectField } from '../../../ui/SelectField.tsx'
import { TextField } from '../../../ui/TextField.tsx'
import { useAction } from '../../../ui/useAction.ts'
import listStyles from '../SettingsList.module.css'
import settings from '../SettingsPane.module.css'
import { ChooseMember } from './ChooseMember.tsx'
import { ImportSummary } from './ImportSummary.tsx'
import styles from './MovingPane.module.css'

type Channel = ImportReport['channels'][number]
type Person = ImportReport['people']['list'][number]
type ChannelChoices = NonNullable<MovingChoices['channels']>

/** Measured on two cores; more files take longer. */
const MESSAGES_PER_MINUTE = 60_000

const isConversation = ({ kind }: Channel) => kind === 'direct' || kind === 'group'

/** What an import would do, and the choices of the owner before it starts. */
export function ImportReview({ found }: { found: WorkspaceImport }) {
  return (
    <QueryContent query={useQuery(importPreview, [found.id])} loading={i18n._('Loading…')}>
      {(report) => <Review found={found} report={report} />}
    </QueryContent>
  )
}

function Review({ found, report }: { found: WorkspaceImport; report: ImportReport }) {
  const [people, setPeople] = useState<Record<string, string>>({})
  const [channels, setChannels] = useState<ChannelChoices>({})
  const [withConversations, setWithConversations] = useState(true)
  const [name, setName] = useState(report.sourceName)
  const [fetchesFiles, setFetchesFiles] = useState(report.linkedFiles > 0)
  const start = useAction()
  const discard = useAction()
  const { storage } = report
  const neededBytes = storage.neededBytes + (fetchesFiles ? storage.linkedBytes : 0)
  const { freeBytes } = storage
  const conversations = report.channels.filter(isConversation)
  const messages = report.rows['messages'] ?? 0
  const minutes = Math.max(1, Math.ceil(messages / MESSAGES_PER_MINUTE))

  const run = () => {
    const leftOut = withConversations
      ? []
      : conversations.map(({ channel }) => [channel, { isLeftOut: true }])
    return startImport(found, {
      choices: { people, channels: { ...channels, ...(Object.fromEntries(leftOut) as ChannelChoices) } },
      name,
      fetchesFiles,
    })
  }
  return (
    <>
      <p>{i18n._('This is a preview of {name}. Nothing is written yet.', { name: found.fileName })}</p>
      <ImportSummary report={report} />
      {neededBytes > freeBytes ? (
        <p role="alert">
          {i18n._(
            'The files need {needed}, and the workspace has room for {free}. Leave out channels, or raise the storage limit of the workspace before you start.',
            { needed: formatBytes(neededBytes), free: formatBytes(freeBytes) },
          )}
        </p>
      ) : null}
      <TextField
        label={i18n._('Name of the import')}
        hint={i18n._('The list of imports shows it.')}
        maxLength={200}
        value={name}
        onChange={setName}
      />
      <People people={report.people.list} chosen={people} onChange={setPeople} />
      <Channels
        channels={report.channels.filter((channel) => !isConversation(channel))}
        chosen={channels}
        onChange={setChannels}
      />
      {conversations.length > 0 ? (
        <Checkbox
          label={i18n._(
            '{count, plural, one {Import # direct or group conversation} other {Import # direct and group conversations}}',
            { count: conversations.length },
          )}
          hint={i18n._('Only the people of a conversation can read it.')}
          checked={withConversations}
          onChange={setWithConversations}
        />
      ) : null}
      {report.linkedFiles > 0 ? (
        <Checkbox
          label={i18n._(
            '{count, plural, one {Fetch # file from its link} other {Fetch # files from their links}}',
            { count: report.linkedFiles },
          )}
          hint={i18n._(
            'The server downloads them from the other product, which takes longer. Do it before the export’s links expire.',
          )}
          checked={fetchesFiles}
          onChange={setFetchesFiles}
        />
      ) : null}
      <p className="note">
        {i18n._(
          'The import takes about {minutes, plural, one {# minute} other {# minutes}}. You can undo it as a whole for 30 days.',
          { minutes },
        )}
      </p>
      <div className={settings.line}>
        <Button variant="primary" busy={start.busy} onClick={() => void start.run(run)}>
          {i18n._('Start import')}
        </Button>
        <Button
          variant="quiet"
          busy={discard.busy}
          onClick={() => void discard.run(() => removeImport(found))}
        >
          {i18n._('Discard')}
        </Button>
      </div>
      {[start.failure, discard.failure].map((failure) =>
        failure === null ? null : (
          <p key={failure} role="alert">
            {failure}
          </p>
        ),
      )}
    </>
  )
}

interface PeopleProps {
  people: readonly Person[]
  /** The profiles of members by the keys of people. */
  chosen: Record<string, string>
  onChange: (chosen: Record<string, string>) => void
}

/** People of the export: first the ones who are no members, for whom a member can be chosen. */
function People({ people, chosen, onChange }: PeopleProps) {
  const [query, setQuery] = useState('')
  const [choosing, setChoosing] = useState<Person | null>(null)
  const nameOf = useNameOf()
  const found = people
    .filter(({ name, email }) => `${name} ${email}`.toLowerCase().includes(query.trim().toLowerCase()))
    .toSorted((a, b) => Number(a.isMatched) - Number(b.isMatched))
  const choose = (key: string, member: string | null) => {
    const { [key]: _, ...others } = chosen
    onChange(member === null ? others : { ...others, [key]: member })
  }
  if (people.length === 0) return null
  return (
    <section className={styles.part} aria-label={i18n._('People')}>
      <h3>{i18n._('People')}</h3>
      <p className="note">
        {i18n._(
          'People are matched with members by their email address. All others are imported without an account. Choose the member for someone who uses another address here.',
        )}
      </p>
      {people.length > 10 ? (
        <TextField
          label={i18n._('Search people')}
          hideLabel
          type="search"
          placeholder={i18n._('Search people')}
          value={query}
          onChange={setQuery}
        />
      ) : null}
      <GrowingList
        label={i18n._('People')}
        className={listStyles.list}
        items={found}
        selection={query}
        render={(person) => {
          const { key, name, email, isMatched, profileId } = person
          const member = chosen[key] ?? (isMatched ? profileId : null)
          return (
            <li key={key} className={listStyles.row}>
              <div className={listStyles.details}>
                <p className={listStyles.name}>
                  <bdi>{name}</bdi>
                </p>
                <p className="note">
                  {email ? <bdi>{email} · </bdi> : null}
                  {member === null
                    ? i18n._('without an account')
                    : i18n._('is the member {name}', { name: nameOf(member) ?? name })}
                </p>
              </div>
              <div className={listStyles.buttons}>
                {chosen[key] === undefined ? (
                  <Button
                    data-entry
                    aria-label={i18n._('Choose the member for {name}', { name })}
                    onClick={() => setChoosing(person)}
                  >
                    {isMatched ? i18n._('Change') : i18n._('Choose member')}
                  </Button>
                ) : (
                  <Button
                    data-entry
                    variant="quiet"
                    aria-label={i18n._('Undo the choice for {name}', { name })}
                    onClick={() => choose(key, null)}
                  >
                    {i18n._('Undo')}
                  </Button>
                )}
              </div>
            </li>
          )
        }}
      />
      {choosing ? (
        <ChooseMember
          name={choosing.name}
          onChoose={(member) => choose(choosing.key, member)}
          onClose={() => setChoosing(null)}
        />
      ) : null}
    </section>
  )
}

interface ChannelsProps {
  channels: readonly Channel[]
  chosen: ChannelChoices
  onChange: (chosen: ChannelChoices) => void
}

/** Channels of the export, which an owner renames, makes private or leaves out. */
function Channels({ channels, chosen, onChange }: ChannelsProps) {
  const [query, setQuery] = useState('')
  const found = channels.filter(({ name }) => name.toLowerCase().includes(query.trim().toLowerCase()))
  const change = (key: string, choice: ChannelChoices[string]) =>
    onChange({ ...chosen, [key]: { ...chosen[key], ...choice } })
  if (channels.length === 0) return null
  return (
    <section className={styles.part} aria-label={i18n._('Channels')}>
      <h3>{i18n._('Channels')}</h3>
      {channels.length > 10 ? (
        <TextField
          label={i18n._('Search channels')}
          hideLabel
          type="search"
          placeholder={i18n._('Search channels')}
          value={query}
          onChange={setQuery}
        />
      ) : null}
      <GrowingList
        label={i18n._('Channels')}
        className={listStyles.list}
        items={found}
        selection={query}
        render={({ channel, name, kind, read, files }) => {
          const choice = chosen[channel] ?? {}
          return (
            <li key={channel} className={listStyles.row}>
              <div className={styles.channel}>
                <Checkbox
                  label={name}
                  hint={i18n._(
                    '{messages, plural, one {# message} other {# messages}}, {files, plural, one {# file} other {# files}}',
                    { messages: read, files },
                  )}
                  checked={choice.isLeftOut !== true}
                  onChange={(isIncluded) => change(channel, { isLeftOut: !isIncluded })}
                />
              </div>
              {choice.isLeftOut ? null : (
                <div className={styles.fields}>
                  <TextField
                    label={i18n._('Name of {name} here', { name })}
                    hideLabel
                    maxLength={80}
                    value={choice.name ?? name}
                    onChange={(text) => change(channel, { name: text })}
                  />
                  <SelectField
                    label={i18n._('Who can read {name}?', { name })}
                    hideLabel
                    value={choice.kind ?? kind}
                    options={[
                      { value: 'public', label: i18n._('Public') },
                      { value: 'private', label: i18n._('Private') },
                    ]}
                    onChange={(value) =>
                      change(channel, { kind: value === 'private' ? 'private' : 'public' })
                    }
                  />
                </div>
              )}
            </li>
          )
        }}
      />
    </section>
  )
}
