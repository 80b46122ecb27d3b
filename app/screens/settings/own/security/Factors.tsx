import { i18n } from '@lingui/core'
import { useState } from 'react'
import { removeFactor } from '../../../../data/account/factors.ts'
import { verifiedFactors, type OwnAccount } from '../../../../data/account/ownAccount.ts'
import { useMe } from '../../../../features/parts/members/MeContext.ts'
import { Button } from '../../../../ui/Button.tsx'
import { factorName } from '../../../../features/flows/account/factorName.ts'
import { EditableList } from '../../EditableList.tsx'
import { SettingsSection } from '../../SettingsSection.tsx'
import { AddFactor } from '../../../../features/flows/account/AddFactor.tsx'
import { formatDate } from '../../../../ui/dates.ts'

interface Props {
  account: OwnAccount
  /** Whether text messages can be sent. */
  phone: boolean
}

/** The second factors of the account: add and remove. */
export function Factors({ account, phone }: Props) {
  const [adding, setAdding] = useState(false)
  const { workspace } = useMe()
  const factors = verifiedFactors(account)
  return (
    <SettingsSection
      title={i18n._('Two-factor authentication')}
      hint={i18n._('Adds a second check at sign-in, so your email or password alone isn’t enough.')}
    >
      <EditableList
        items={factors}
        keyOf={({ id }) => id}
        actions={(factor) => [
          {
            text: i18n._('Remove'),
            label: i18n._('Remove {name}', { name: factorName(factor) }),
            confirm: {
              title: i18n._('Remove this method?'),
              text:
                factors.length === 1 && workspace.second_factor_from
                  ? i18n._(
                      '{name} is your only second factor, and this workspace requires one as of {date}. Without it, you can’t open the workspace until you’ve set up another one.',
                      { name: factorName(factor), date: formatDate(workspace.second_factor_from) },
                    )
                  : factors.length === 1
                    ? i18n._(
                        '{name} is your only second factor. Without it, anyone who knows your password or can read your email can sign in as you.',
                        { name: factorName(factor) },
                      )
                    : i18n._('You’ll no longer be able to use {name}.', { name: factorName(factor) }),
              action: i18n._('Remove method'),
              isDestructive: true,
              doneText: i18n._('Two-factor method removed.'),
              run: () => removeFactor(factor.id),
            },
          },
        ]}
      >
        {(factor) => (
          <>
            <p>{factorName(factor)}</p>
            <p className="note">{i18n._('Added {day}', { day: formatDate(factor.created_at) })}</p>
          </>
        )}
      </EditableList>
      {factors.length === 1 ? (
        <p className="note">
          {i18n._(
            'Set up a second method as a backup, or create recovery codes. If you have neither and lose your only method, only the server’s administrator can let you back in.',
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
    </SettingsSection>
  )
}
