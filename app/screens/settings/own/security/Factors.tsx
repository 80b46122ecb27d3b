import { i18n } from '@lingui/core'
import { useState } from 'react'
import { removeFactor } from '../../../../data/account/factors.ts'
import { verifiedFactors, type Factor, type OwnAccount } from '../../../../data/account/ownAccount.ts'
import { Button } from '../../../../ui/Button.tsx'
import { factorName } from '../../../../features/flows/account/factorName.ts'
import { SettingsSection } from '../../SettingsSection.tsx'
import { AddFactor } from './AddFactor.tsx'
import { ConfirmDialog } from '../../../../ui/ConfirmDialog.tsx'
import listStyles from '../../SettingsList.module.css'
import { formatDate } from '../../../../ui/dates.ts'

interface Props {
  account: OwnAccount
  /** Whether text messages can be sent. */
  phone: boolean
}

/** The second factors of the account: add and remove. */
export function Factors({ account, phone }: Props) {
  const [adding, setAdding] = useState(false)
  const [removing, setRemoving] = useState<Factor | null>(null)
  const factors = verifiedFactors(account)
  return (
    <SettingsSection
      title={i18n._('Two-factor authentication')}
      hint={i18n._('Adds a second check at sign-in, so your email or password alone isn’t enough.')}
    >
      {factors.length ? (
        <ul className={listStyles.list}>
          {factors.map((factor) => (
            <li key={factor.id} className={listStyles.row}>
              <div className={listStyles.details}>
                <p>{factorName(factor)}</p>
                <p className={listStyles.small}>
                  {i18n._('Added {day}', { day: formatDate(factor.created_at) })}
                </p>
              </div>
              <Button
                aria-label={i18n._('Remove {name}', { name: factorName(factor) })}
                onClick={() => setRemoving(factor)}
              >
                {i18n._('Remove')}
              </Button>
            </li>
          ))}
        </ul>
      ) : null}
      {factors.length === 1 ? (
        <p className={listStyles.small}>
          {i18n._(
            'Set up a second method as a backup. If you lose your only one, only the server’s administrator can let you back in.',
          )}
        </p>
      ) : null}
      <div>
        <Button onClick={() => setAdding(true)}>
          {factors.length ? i18n._('Add a backup method') : i18n._('Add a two-factor method')}
        </Button>
      </div>
      {adding ? (
        <AddFactor
          phone={phone}
          taken={account.factors.map((factor) => factor.friendly_name ?? '')}
          onDone={() => setAdding(false)}
          onClose={() => setAdding(false)}
        />
      ) : null}
      {removing ? (
        <ConfirmDialog
          title={i18n._('Remove this method?')}
          text={
            factors.length === 1
              ? i18n._(
                  '{name} is your only second factor. Without it, anyone with access to your email can sign in as you.',
                  {
                    name: factorName(removing),
                  },
                )
              : i18n._('You’ll no longer be able to use {name}.', { name: factorName(removing) })
          }
          action={i18n._('Remove method')}
          isDestructive
          doneText={i18n._('Two-factor method removed.')}
          run={() => removeFactor(removing.id)}
          onClose={() => setRemoving(null)}
        />
      ) : null}
    </SettingsSection>
  )
}
