import { i18n } from '@lingui/core'
import { useState } from 'react'
import { pathTo } from '../../../paths.ts'
import { navigate } from '../../../historyState.ts'
import type { Bot } from '../../../../wire/bots.ts'
import { LIMITS } from '../../../../wire/limits.ts'
import { endBot, setBotChannels, updateBot } from '../../../data/bots/bots.ts'
import { isolateBidi } from '../../../data/people/isolateBidi.ts'
import { useProfile } from '../../../data/people/people.ts'
import { Button } from '../../../ui/Button.tsx'
import { Form } from '../../../ui/Form.tsx'
import { TextField } from '../../../ui/TextField.tsx'
import { ConfirmDialog } from '../../../ui/ConfirmDialog.tsx'
import { SettingsSection } from '../SettingsSection.tsx'
import { BotCommands } from './BotCommands.tsx'
import { BotTokenSettings } from './BotTokenSettings.tsx'
import { ChannelChoice } from '../../../features/flows/channels/ChannelChoice.tsx'
import { Webhooks } from './Webhooks.tsx'

/** The settings of one bot: name, channels, token, and its end. */
export function BotSettings({ bot }: { bot: Bot }) {
  return (
    <>
      <AboutBot bot={bot} />
      <BotChannels key={bot.channels.join(' ')} bot={bot} />
      <BotTokenSettings bot={bot} />
      <BotCommands bot={bot} />
      <Webhooks bot={bot} />
      <EndBot bot={bot} />
    </>
  )
}

function AboutBot({ bot }: { bot: Bot }) {
  const [name, setName] = useState(bot.name)
  const [description, setDescription] = useState(bot.description)
  const responsible = useProfile(bot.responsible_id ?? '')
  const isSame = name.trim() === bot.name && description.trim() === bot.description
  return (
    <SettingsSection title={i18n._('About this bot')}>
      <Form
        action={isSame ? null : i18n._('Save')}
        isDisabled={name.trim() === ''}
        run={() => updateBot(bot.id, { name, description })}
        doneText={i18n._('Saved.')}
      >
        <TextField
          label={i18n._('Name')}
          maxLength={LIMITS.personNameCharacters}
          value={name}
          onChange={setName}
        />
        <TextField
          label={i18n._('Description')}
          maxLength={LIMITS.botDescriptionCharacters}
          value={description}
          onChange={setDescription}
        />
        <p className="note">
          {responsible
            ? i18n._('Responsible: {name}', { name: isolateBidi(responsible.name) })
            : i18n._('The person responsible for it is no longer here.')}
        </p>
      </Form>
    </SettingsSection>
  )
}

function BotChannels({ bot }: { bot: Bot }) {
  const [chosen, setChosen] = useState<string[]>(bot.channels)
  const isSame = chosen.length === bot.channels.length && chosen.every((id) => bot.channels.includes(id))
  return (
    <SettingsSection
      title={i18n._('Channels')}
      hint={i18n._('It reads and writes here only, from the moment it is added.')}
    >
      <Form
        action={isSame ? null : i18n._('Save')}
        run={() => setBotChannels(bot.id, chosen)}
        doneText={i18n._('Saved.')}
      >
        <ChannelChoice label={i18n._('Channels of this bot')} chosen={chosen} onChange={setChosen} />
        {bot.hidden_channels > 0 ? (
          <p className="note">
            {i18n._(
              '{count, plural, one {It is also in # channel that you can’t read.} other {It is also in # channels that you can’t read.}}',
              { count: bot.hidden_channels },
            )}
          </p>
        ) : null}
      </Form>
    </SettingsSection>
  )
}

function EndBot({ bot }: { bot: Bot }) {
  const [isConfirming, setConfirming] = useState(false)
  return (
    <SettingsSection
      title={i18n._('Deactivate this bot')}
      hint={i18n._('Its token and webhooks stop working right away. Its messages stay.')}
    >
      <div>
        <Button onClick={() => setConfirming(true)}>{i18n._('Deactivate bot')}</Button>
      </div>
      {isConfirming ? (
        <ConfirmDialog
          title={i18n._('Deactivate {name}?', { name: isolateBidi(bot.name) })}
          text={i18n._(
            'Its token and webhooks stop working right away. Its messages stay. You can’t undo this.',
          )}
          action={i18n._('Deactivate bot')}
          isDestructive
          doneText={i18n._('Bot deactivated.')}
          run={() => endBot(bot.id)}
          onDone={() => navigate(pathTo('botSettings'))}
          onClose={() => setConfirming(false)}
        />
      ) : null}
    </SettingsSection>
  )
}
