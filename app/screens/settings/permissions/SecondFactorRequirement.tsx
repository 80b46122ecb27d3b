import { i18n } from '@lingui/core'
import { useState } from 'react'
import type { Commands } from '../../../../wire/commands.ts'
import { peopleList } from '../../../data/administration/administerPeople.ts'
import { usePagedQuery } from '../../../data/queries/pagedQuery.ts'
import { setSecondFactorRequirement } from '../../../data/workspaces/workspaceSettings.ts'
import { useMe } from '../../../features/parts/members/MeContext.ts'
import { formatAddress, pathTo } from '../../../paths.ts'
import { Button } from '../../../ui/Button.tsx'
import { ConfirmDialog } from '../../../ui/ConfirmDialog.tsx'
import { formatDate } from '../../../ui/dates.ts'
import { Link } from '../../../ui/Link.tsx'
import { SelectField } from '../../../ui/SelectField.tsx'
import { SettingsSection } from '../SettingsSection.tsx'

type Days = NonNullable<Commands['set_second_factor_requirement']['args']['days']>

const DAYS: readonly Days[] = [0, 3, 7, 14, 30]

/** Whether everybody needs a second factor, from which date, and who has none yet. */
export function SecondFactorRequirement() {
  const { workspace, second_factor: hasFactor } = useMe()
  const [days, setDays] = useState<Days>(14)
  const [isConfirming, setConfirming] = useState(false)
  const from = workspace.second_factor_from
  return (
    <SettingsSection
      title={i18n._('Two-factor authentication for everyone')}
      hint={i18n._(
        'Members and guests without a second factor can still sign in, but they can’t read or write anything until they’ve set one up. Bots aren’t affected.',
      )}
    >
      <PeopleWithoutFactor />
      {from ? (
        <p>{requirementText(from)}</p>
      ) : hasFactor ? (
        <SelectField
          label={i18n._('Starts')}
          value={String(days)}
          options={DAYS.map((value) => ({ value: String(value), label: daysLabel(value) }))}
          onChange={(value) => setDays(Number(value) as Days)}
        />
      ) : (
        <p>
          {i18n._('Set it up for your own account before you require it for others.')}{' '}
          <Link href={pathTo('securitySettings')}>{i18n._('Set it up')}</Link>
        </p>
      )}
      {from || hasFactor ? (
        <div>
          <Button onClick={() => setConfirming(true)}>
            {from ? i18n._('Stop requiring it') : i18n._('Require for everyone')}
          </Button>
        </div>
      ) : null}
      {isConfirming ? (
        from ? (
          <ConfirmDialog
            title={i18n._('Stop requiring two-factor authentication?')}
            text={i18n._(
              'Everyone can open the workspace without it. People keep the methods they’ve set up.',
            )}
            action={i18n._('Stop requiring it')}
            doneText={i18n._('Two-factor authentication is optional now.')}
            run={() => setSecondFactorRequirement(null)}
            onClose={() => setConfirming(false)}
          />
        ) : (
          <ConfirmDialog
            title={i18n._('Require two-factor authentication for everyone?')}
            text={
              days === 0
                ? i18n._('People without it lose access right away, until they set it up.')
                : i18n._(
                    'In {days, plural, one {# day} other {# days}}, people without it lose access until they set it up.',
                    { days },
                  )
            }
            action={i18n._('Require for everyone')}
            doneText={i18n._('Two-factor authentication is required.')}
            run={() => setSecondFactorRequirement(days)}
            onClose={() => setConfirming(false)}
          />
        )
      ) : null}
    </SettingsSection>
  )
}

/** Its line has its place before the number is known, so that the controls below never move. */
function PeopleWithoutFactor() {
  const total = usePagedQuery(peopleList, [{ states: ['active'], second_factor: false }]).summary?.total
  if (total === undefined) return <p>{'\u00a0'}</p>
  if (total === 0) return <p>{i18n._('Everyone has a second factor.')}</p>
  return (
    <p>
      {i18n._('{count, plural, one {# person has} other {# people have}} no second factor yet.', {
        count: total,
      })}{' '}
      <Link href={formatAddress(pathTo('peopleSettings'), { factor: 'without' })}>{i18n._('Show them')}</Link>
    </p>
  )
}

function daysLabel(days: Days): string {
  return days === 0 ? i18n._('Now') : i18n._('{days, plural, one {In # day} other {In # days}}', { days })
}

function requirementText(from: string): string {
  return Date.parse(from) <= Date.now()
    ? i18n._('Required since {date}.', { date: formatDate(from) })
    : i18n._('Required from {date}. Until then, people without a second factor see a reminder.', {
        date: formatDate(from),
      })
}
