import { i18n } from '@lingui/core'
import { useState } from 'react'
import type { Bot, BotToken } from '../../../../wire/bots.ts'
import { createBotToken, endBotToken } from '../../../data/bots/bots.ts'
import { CopyField } from '../../../features/flows/people/invite/CopyField.tsx'
import { Button } from '../../../ui/Button.tsx'
import { formatDate, formatDayAndTime } from '../../../ui/dates.ts'
import { Form } from '../../../ui/Form.tsx'
import { RadioGroup } from '../../../ui/RadioGroup.tsx'
import { ConfirmDialog } from '../../../ui/ConfirmDialog.tsx'
import { SettingsSection } from '../SettingsSection.tsx'
import settings from '../SettingsPane.module.css'
import { UnmanagedMark } from './UnmanagedMark.tsx'

const DAYS = ['7', '30', '90', '365'] as const
type Days = (typeof DAYS)[number]

/** Creates, replaces and ends the token of a bot. A new one is displayed until the page is left. */
export function BotTokenSettings({ bot }: { bot: Bot }) {
  const [days, setDays] = useState<Days>('90')
  const [created, setCreated] = useState<BotToken | null>(null)
  const [isEnding, setEnding] = useState(false)
  return (
    <SettingsSection
      title={i18n._('Token')}
      hint={i18n._('A program signs in with it. Anyone who has it can act as this bot.')}
    >
      {bot.token ? (
        <p>
          {i18n._('Expires on {date}.', { date: formatDate(bot.token.expires_at) })}{' '}
          {bot.token.used_at
            ? i18n._('Last sign-in: {moment}', { moment: formatDayAndTime(bot.token.used_at) })
            : i18n._('Not used yet.')}
        </p>
      ) : (
        <p className="muted">{i18n._('This bot has no token.')}</p>
      )}
      {bot.token?.is_unmanaged ? (
        <UnmanagedMark advice={i18n._('They may still know the token. Replace or revoke it.')} />
      ) : null}
      {created && bot.token ? (
        <div role="group" aria-label={i18n._('New token')} className={settings.section}>
          <CopyField
            label={i18n._('Sign-in address')}
            value={created.email}
            hint={i18n._('The email address the program signs in with. It doesn’t receive email.')}
            copyLabel={i18n._('Copy')}
          />
          <CopyField
            label={i18n._('Token')}
            value={created.token}
            hint={i18n._('Copy it now; you won’t see it again.')}
            copyLabel={i18n._('Copy')}
          />
        </div>
      ) : null}
      <Form
        action={bot.token ? i18n._('Replace token') : i18n._('Create token')}
        variant="plain"
        run={() => createBotToken(bot.id, Number(days))}
        onDone={setCreated}
        after={bot.token ? <Button onClick={() => setEnding(true)}>{i18n._('Revoke token')}</Button> : null}
      >
        <RadioGroup
          label={i18n._('Valid for')}
          value={days}
          options={DAYS.map((value) => ({
            value,
            label: i18n._('{count, plural, one {# day} other {# days}}', { count: Number(value) }),
          }))}
          onChange={setDays}
        />
        {bot.token ? (
          <p className="note">
            {i18n._('A new token replaces the current one, which stops working right away.')}
          </p>
        ) : null}
      </Form>
      {isEnding ? (
        <ConfirmDialog
          title={i18n._('Revoke this token?')}
          text={i18n._('Programs that use it are signed out right away.')}
          action={i18n._('Revoke token')}
          isDestructive
          doneText={i18n._('Token revoked.')}
          run={() => endBotToken(bot.id)}
          onDone={() => setCreated(null)}
          onClose={() => setEnding(false)}
        />
      ) : null}
    </SettingsSection>
  )
}
