import { i18n } from '@lingui/core'
import { useState } from 'react'
import type { BotCommand } from '../../../../wire/botCommands.ts'
import type { Bot } from '../../../../wire/bots.ts'
import {
  botCommandList,
  createBotCommand,
  deleteBotCommand,
  keepBotCommand,
  renewCommandSecret,
  updateBotCommand,
  type CommandProperties,
} from '../../../data/bots/bots.ts'
import type { Outcome } from '../../../data/failures/failures.ts'
import { useQuery } from '../../../data/queries/useQuery.ts'
import { QueryContent } from '../../../features/parts/lists/QueryContent.tsx'
import { CopyField } from '../../../features/flows/people/invite/CopyField.tsx'
import { Button } from '../../../ui/Button.tsx'
import { Form } from '../../../ui/Form.tsx'
import { TextField } from '../../../ui/TextField.tsx'
import { useAction } from '../../../ui/useAction.ts'
import { EditableList } from '../EditableList.tsx'
import { SettingsSection } from '../SettingsSection.tsx'
import { FailedDeliveries } from './FailedDeliveries.tsx'
import { UnmanagedMark } from './UnmanagedMark.tsx'

const EMPTY: CommandProperties = { name: '', description: '', hint: '', url: null }

/** The slash commands of a bot: create, change, turn off, delete; and the secret that signs their requests. */
export function BotCommands({ bot }: { bot: Bot }) {
  const query = useQuery(botCommandList, [bot.id])
  const [secret, setSecret] = useState<string | null>(null)
  const [editing, setEditing] = useState<BotCommand | null>(null)
  /** The form is replaced when it is saved, and its successor gets the focus. */
  const [wasSaved, setSaved] = useState(false)
  const renewal = useAction()
  const save = async (properties: CommandProperties): Promise<Outcome<unknown>> => {
    if (editing) return updateBotCommand(editing.id, { ...properties, enabled: editing.enabled })
    const made = await createBotCommand(bot.id, properties)
    if (made.ok && made.value.secret) setSecret(made.value.secret)
    return made
  }
  return (
    <SettingsSection
      title={i18n._('Slash commands')}
      hint={i18n._('Members use them in the bot’s channels. They work while the bot has a valid token.')}
    >
      {secret ? (
        <CopyField
          label={i18n._('Signing secret of the commands')}
          value={secret}
          hint={i18n._('The service checks signatures with it. Copy it now; you won’t see it again.')}
          copyLabel={i18n._('Copy')}
        />
      ) : null}
      <QueryContent query={query} loading={i18n._('Slash commands')}>
        {(commands) => (
          <>
            <EditableList
              items={commands}
              keyOf={({ id }) => id}
              actions={(command) => {
                const { id, name, enabled, is_unmanaged } = command
                return [
                  {
                    text: enabled ? i18n._('Turn off') : i18n._('Turn on'),
                    label: enabled
                      ? i18n._('Turn off /{name}', { name })
                      : i18n._('Turn on /{name}', { name }),
                    run: () => updateBotCommand(id, { ...command, enabled: !enabled }),
                  },
                  ...(is_unmanaged
                    ? [
                        {
                          text: i18n._('Keep'),
                          label: i18n._('Keep /{name}', { name }),
                          run: () => keepBotCommand(id),
                        },
                      ]
                    : []),
                  {
                    text: i18n._('Edit'),
                    label: i18n._('Edit /{name}', { name }),
                    onClick: () => setEditing(command),
                  },
                  {
                    text: i18n._('Delete'),
                    label: i18n._('Delete /{name}', { name }),
                    confirm: {
                      title: i18n._('Delete /{name}?', { name }),
                      text: i18n._('Nobody will be able to use this command.'),
                      action: i18n._('Delete command'),
                      isDestructive: true,
                      doneText: i18n._('Command deleted.'),
                      run: () => deleteBotCommand(id),
                    },
                  },
                ]
              }}
            >
              {(command) => <CommandFacts command={command} />}
            </EditableList>
            <CommandForm
              key={editing?.id ?? `new ${commands.length}`}
              initial={editing ?? EMPTY}
              isNew={editing === null}
              hasFocus={editing !== null || wasSaved}
              save={save}
              onSaved={() => {
                setSaved(true)
                setEditing(null)
              }}
              onCancel={() => setEditing(null)}
            />
            {commands.length > 0 ? (
              <div>
                <Button
                  busy={renewal.busy}
                  onClick={() =>
                    void renewal
                      .run(() => renewCommandSecret(bot.id))
                      .then((made) => made && setSecret(made.value.secret))
                  }
                >
                  {i18n._('Create a new signing secret')}
                </Button>
                {renewal.failure ? <p role="alert">{renewal.failure}</p> : null}
              </div>
            ) : null}
          </>
        )}
      </QueryContent>
    </SettingsSection>
  )
}

function CommandFacts({ command }: { command: BotCommand }) {
  const { name, hint, description, url, enabled, deliveries, is_unmanaged } = command
  return (
    <>
      <p>
        <bdi dir="ltr">/{name}</bdi> <bdi>{hint}</bdi>
      </p>
      <p className="note">
        <bdi>{description}</bdi> · {url ? <bdi dir="ltr">{url}</bdi> : i18n._('received by the bot itself')}
        {enabled ? null : ` · ${i18n._('turned off')}`}
      </p>
      {is_unmanaged ? (
        <UnmanagedMark
          advice={
            url
              ? i18n._('Check that you trust the address. Then keep or delete the command.')
              : i18n._('Keep or delete the command.')
          }
        />
      ) : null}
      <FailedDeliveries deliveries={deliveries} />
    </>
  )
}

interface FormProps {
  initial: CommandProperties
  isNew: boolean
  hasFocus: boolean
  save: (properties: CommandProperties) => Promise<Outcome<unknown>>
  onSaved: () => void
  onCancel: () => void
}

function CommandForm({ initial, isNew, hasFocus, save, onSaved, onCancel }: FormProps) {
  const [name, setName] = useState(initial.name)
  const [description, setDescription] = useState(initial.description)
  const [hint, setHint] = useState(initial.hint)
  const [url, setUrl] = useState(initial.url ?? '')
  const isComplete = name.trim() !== '' && description.trim() !== ''
  return (
    <Form
      action={isNew ? i18n._('Create command') : i18n._('Save')}
      variant="plain"
      isDisabled={!isComplete}
      run={() => save({ name: name.trim().replace(/^\//, ''), description, hint, url: url.trim() || null })}
      onDone={onSaved}
      after={isNew ? null : <Button onClick={onCancel}>{i18n._('Cancel')}</Button>}
    >
      <TextField
        label={i18n._('Command')}
        dir="ltr"
        placeholder="/deploy"
        maxLength={33}
        autoFocus={hasFocus}
        value={name}
        onChange={setName}
      />
      <TextField
        label={i18n._('What it does')}
        maxLength={100}
        value={description}
        onChange={setDescription}
      />
      <TextField
        label={i18n._('What can follow it')}
        hint={i18n._('Optional, for example “place and date”.')}
        maxLength={60}
        value={hint}
        onChange={setHint}
      />
      <TextField
        label={i18n._('Address that receives it')}
        hint={i18n._('Optional. Without an address the bot receives commands over its realtime connection.')}
        type="url"
        dir="ltr"
        placeholder="https://"
        value={url}
        onChange={setUrl}
      />
    </Form>
  )
}
