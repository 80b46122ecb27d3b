import { i18n } from '@lingui/core'
import { useState } from 'react'
import type { AdministeredPerson, WorkspaceRole } from '../../../../wire/people.ts'
import { peopleList } from '../../../data/administration/administerPeople.ts'
import { usePagedQuery } from '../../../data/queries/pagedQuery.ts'
import { PagedList } from '../../../features/parts/lists/PagedList.tsx'
import { SelectableRow, selectableListClass } from '../../../features/parts/lists/SelectableRow.tsx'
import { SelectionActions } from '../../../features/parts/lists/SelectionActions.tsx'
import { useSelection } from '../../../features/parts/lists/useSelection.ts'
import { Avatar } from '../../../features/parts/members/avatar/Avatar.tsx'
import ChangePeople from '../../../features/flows/people/manage/ChangePeople.tsx'
import {
  isBelow,
  personActions,
  type PersonAction,
} from '../../../features/flows/people/manage/personActions.ts'
import { useMe } from '../../../features/parts/members/MeContext.ts'
import { workspaceRoleLabel } from '../../../features/parts/members/roleLabel.ts'
import { Button } from '../../../ui/Button.tsx'
import { formatDate } from '../../../ui/dates.ts'
import { SelectField } from '../../../ui/SelectField.tsx'
import { TextField } from '../../../ui/TextField.tsx'
import { useSettled } from '../../../ui/useSettled.ts'
import { PaneFrame } from '../PaneFrame.tsx'
import styles from '../SettingsPane.module.css'
import { administeredStateLabel } from './administeredStateLabel.ts'

type State = AdministeredPerson['state']

const ROLES: readonly WorkspaceRole[] = ['owner', 'admin', 'member', 'guest']
const STATES: readonly State[] = ['active', 'deactivated', 'left', 'removed']

/** People of the workspace for owners and admins: found by search and filters, changed one or many at a time. */
export default function PeoplePane() {
  const [query, setQuery] = useState('')
  const [role, setRole] = useState<WorkspaceRole | ''>('')
  const [state, setState] = useState<State | ''>('active')
  const [factor, setFactor] = useState<'' | 'with' | 'without'>('')
  const selection = useSelection<AdministeredPerson>(({ profile }) => profile.id)
  const term = useSettled(query)
  const pages = usePagedQuery(peopleList, [
    {
      query: term,
      ...(role && { roles: [role] }),
      ...(state && { states: [state] }),
      ...(factor && { second_factor: factor === 'with' }),
    },
  ])
  const filter = (change: () => void) => {
    change()
    selection.clear()
  }
  const title = i18n._('Manage people')
  return (
    <PaneFrame title={title}>
      <TextField
        label={i18n._('Search by name, email or title')}
        type="search"
        value={query}
        onChange={(event) => {
          const { value } = event.currentTarget
          filter(() => setQuery(value))
        }}
      />
      <div className={styles.filters}>
        <SelectField<WorkspaceRole | ''>
          label={i18n._('Role')}
          value={role}
          options={[
            { value: '', label: i18n._('All') },
            ...ROLES.map((value) => ({ value, label: workspaceRoleLabel(value) })),
          ]}
          onChange={(value) => filter(() => setRole(value))}
        />
        <SelectField<State | ''>
          label={i18n._('State')}
          value={state}
          options={[
            { value: '', label: i18n._('All') },
            ...STATES.map((value) => ({ value, label: administeredStateLabel(value) })),
          ]}
          onChange={(value) => filter(() => setState(value))}
        />
        <SelectField<'' | 'with' | 'without'>
          label={i18n._('Second factor')}
          value={factor}
          options={[
            { value: '', label: i18n._('All') },
            { value: 'with', label: i18n._('With second factor') },
            { value: 'without', label: i18n._('Without second factor') },
          ]}
          onChange={(value) => filter(() => setFactor(value))}
        />
      </div>
      <p role="status" className={styles.muted}>
        {pages.summary
          ? i18n._('{count, plural, one {# person} other {# people}}', { count: pages.summary.total })
          : ''}
      </p>
      <Actions people={selection.items} onDone={selection.clear} onClear={selection.clear} />
      <PagedList
        label={title}
        className={selectableListClass}
        pages={pages}
        empty={i18n._('Nobody matches.')}
        render={(person) => (
          <SelectableRow
            key={person.profile.id}
            picture={<Avatar id={person.profile.id} name={person.profile.name} size={36} />}
            name={person.profile.name}
            facts={summary(person)}
            checked={selection.has(person.profile.id)}
            onChange={(on) => selection.set(person, on)}
          />
        )}
      />
    </PaneFrame>
  )
}

interface ActionsProps {
  people: readonly AdministeredPerson[]
  onDone: () => void
  onClear: () => void
}

/** What the user may do with everybody who is selected. */
function Actions({ people, onDone, onClear }: ActionsProps) {
  const { role } = useMe()
  const [action, setAction] = useState<PersonAction | null>(null)
  return (
    <SelectionActions
      label={i18n._('Actions for the people you chose')}
      count={people.length}
      onClear={onClear}
    >
      {people.every((one) => isBelow(one.role, role)) ? null : (
        <p className={styles.muted}>{i18n._('You can only change people whose role is below yours.')}</p>
      )}
      {personActions(people, role).map((one) => (
        <Button key={one.action} onClick={() => setAction(one.action)}>
          {one.label}
        </Button>
      ))}
      {action ? (
        <ChangePeople action={action} people={people} onDone={onDone} onClose={() => setAction(null)} />
      ) : null}
    </SelectionActions>
  )
}

function summary(person: AdministeredPerson): string {
  const { role, state, email, expires_at, seen_at, second_factor, integrations } = person
  const parts = [workspaceRoleLabel(role)]
  if (state !== 'active') parts.push(administeredStateLabel(state))
  if (email) parts.push(email)
  if (expires_at) parts.push(i18n._('until {date}', { date: formatDate(expires_at) }))
  if (second_factor) parts.push(i18n._('With second factor'))
  if (integrations)
    parts.push(i18n._('{count, plural, one {# integration} other {# integrations}}', { count: integrations }))
  if (seen_at) parts.push(i18n._('last seen {date}', { date: formatDate(seen_at) }))
  return parts.join(' · ')
}
