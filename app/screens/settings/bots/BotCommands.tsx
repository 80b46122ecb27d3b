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
import { useQuery } from '../../../data/queries/useQuery.ts'
import { QueryContent } from '../../../features/parts/lists/QueryContent.tsx'
import { CopyField } from '../../../features/flows/people/invite/CopyField.tsx'
import { Button } from '../../../ui/Button.tsx'
import { Form } from '../../../ui/Form.tsx'
import { TextField } from '../../../ui/TextField.tsx'
import { useAction } from '../../../data/hooks/useAction.ts'
import listStyles from '../SettingsList.module.css'
import { EditableList } from '../EditableList.tsx'
import { SettingsSection } from '../SettingsSection.tsx'
import settings from '../SettingsPane.module.css'
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
  const action = useAction()
  const save = async (properties: CommandProperties) => {
    if (editing) {
      const { id, enabled } = editing
      if (!(await action.run(() => updateBotCommand(id, { ...properties, enabled })))) return
    } else {
      const made = await action.run(() => createBotCommand(bot.id, properties))
      if (!made) return
      if (made.value.secret) setSecret(made.value.secret)
    }
    setSaved(true)
    setEditing(null)
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
                    onClick: () =>
                      void action.run(() => updateBotCommand(id, { ...command, enabled: !enabled })),
                  },
                  ...(is_unmanaged
                    ? [
                        {
                          text: i18n._('Keep'),
                          label: i18n._('Keep /{name}', { name }),
                          onClick: () => void action.run(() => keepBotCommand(id)),
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
              action={action}
              onSave={save}
              onCancel={() => setEditing(null)}
            />
            {commands.length > 0 ? (
              <div>
                <Button
                  onClick={() =>
                    void action
                      .run(() => renewCommandSecret(bot.id))
                      .then((made) => made && setSecret(made.value.secret))
                  }
                >
                  {i18n._('Create a new signing secret')}
                </Button>
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
      <p className={listStyles.small}>
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
  action: ReturnType<typeof useAction>
  onSave: (properties: CommandProperties) => Promise<void>
  onCancel: () => void
}

function CommandForm({ initial, isNew, hasFocus, action, onSave, onCancel }: FormProps) {
  const [name, setName] = useState(initial.name)
  const [description, setDescription] = useState(initial.description)
  const [hint, setHint] = useState(initial.hint)
  const [url, setUrl] = useState(initial.url ?? '')
  const isComplete = name.trim() !== '' && description.trim() !== ''
  const save = () => {
    const properties = { name: name.trim().replace(/^\//, ''), description, hint, url: url.trim() || null }
    if (isComplete) void onSave(properties)
  }
  return (
    <Form onSubmit={save} failure={action.failure}>
      <TextField
        label={i18n._('Command')}
        dir="ltr"
        autoComplete="off"
        placeholder="/deploy"
        maxLength={33}
        autoFocus={hasFocus}
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
      />
      <TextField
        label={i18n._('What it does')}
        autoComplete="off"
        maxLength={100}
        value={description}
        onChange={(event) => setDescription(event.currentTarget.value)}
      />
      <TextField
        label={i18n._('What can follow it')}
        hint={i18n._('Optional, for example “place and date”.')}
        autoComplete="off"
        maxLength={60}
        value={hint}
        onChange={(event) => setHint(event.currentTarget.value)}
      />
      <TextField
        label={i18n._('Address that receives it')}
        hint={i18n._('Optional. Without an address the bot receives commands over its realtime connection.')}
        type="url"
        inputMode="url"
        dir="ltr"
        autoComplete="off"
        placeholder="https://"
        value={url}
        onChange={(event) => setUrl(event.currentTarget.value)}
      />
      <div className={settings.line}>
        <Button type="submit" busy={action.busy} disabled={!isComplete}>
          {isNew ? i18n._('Create command') : i18n._('Save')}
        </Button>
        {isNew ? null : <Button onClick={onCancel}>{i18n._('Cancel')}</Button>}
      </div>
    </Form>
  )
}
