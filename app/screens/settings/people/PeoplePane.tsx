import { i18n } from '@lingui/core'
import ShieldCheck from 'lucide-react/icons/shield-check'
import { useState } from 'react'
import type { PersonSort } from '../../../../wire/administration.ts'
import type { AdministeredPerson } from '../../../../wire/people.ts'
import { peopleList } from '../../../data/administration/administerPeople.ts'
import { usePagedQuery } from '../../../data/queries/pagedQuery.ts'
import { FilteredList } from '../../../features/parts/lists/FilteredList.tsx'
import { PagedTable, type Column } from '../../../features/parts/lists/PagedTable.tsx'
import { SearchFilter } from '../../../features/parts/lists/SearchFilter.tsx'
import { SelectionActions } from '../../../features/parts/lists/SelectionActions.tsx'
import { useFilters } from '../../../features/parts/lists/useFilters.ts'
import { useSelection } from '../../../features/parts/lists/useSelection.ts'
import { Avatar } from '../../../features/parts/members/avatar/Avatar.tsx'
import ChangePeople from '../../../features/flows/people/manage/ChangePeople.tsx'
import {
  isBelow,
  personActions,
  type PersonAction,
} from '../../../features/flows/people/manage/personActions.ts'
import { useMe } from '../../../features/parts/members/MeContext.ts'
import { PersonButton } from '../../../features/parts/members/PersonButton.tsx'
import { workspaceRoleLabel } from '../../../features/parts/members/roleLabel.ts'
import { useOverlay } from '../../../features/parts/overlays/OverlayContext.ts'
import { Button } from '../../../ui/Button.tsx'
import { formatDate } from '../../../ui/dates.ts'
import { Icon } from '../../../ui/Icon.tsx'
import { SelectField } from '../../../ui/SelectField.tsx'
import { PaneFrame } from '../PaneFrame.tsx'
import list from '../SettingsList.module.css'
import { administeredStateLabel } from './administeredStateLabel.ts'

const ROLES = ['owner', 'admin', 'member', 'guest'] as const
const STATES = ['active', 'deactivated', 'left', 'removed'] as const
const FILTERS = {
  q: null,
  role: ['all', ...ROLES],
  state: [...STATES, 'all'],
  factor: ['all', 'with', 'without'],
  sort: ['name', 'name.desc', 'role', 'role.desc', 'joined', 'joined.asc', 'seen', 'seen.asc'],
} as const

/** People of the workspace for owners and admins: found by search and filters, changed one or many at a time. */
export default function PeoplePane() {
  const me = useMe()
  const open = useOverlay()
  const { values, change } = useFilters(FILTERS)
  const { q, role, state, factor, sort } = values
  const selection = useSelection<AdministeredPerson>(idOf, JSON.stringify({ ...values, sort: '' }))
  const [action, setAction] = useState<PersonAction | null>(null)
  const pages = usePagedQuery(peopleList, [
    {
      query: q,
      sort,
      ...(role !== 'all' && { roles: [role] }),
      ...(state !== 'all' && { states: [state] }),
      ...(factor !== 'all' && { second_factor: factor === 'with' }),
    },
  ])
  const people = selection.items
  return (
    <PaneFrame
      isWide
      list={JSON.stringify(values)}
      isReady={pages.value !== undefined}
      action={
        <Button variant="primary" onClick={() => open({ kind: 'invite' })}>
          {i18n._('Invite people')}
        </Button>
      }
    >
      <FilteredList
        label={i18n._('Search people')}
        filters={
          <>
            <SearchFilter
              label={i18n._('Search by name, email or title')}
              value={q}
              onChange={(next) => change({ q: next })}
            />
            <SelectField
              label={i18n._('Role')}
              value={role}
              options={[
                { value: 'all', label: i18n._('All') },
                ...ROLES.map((value) => ({ value, label: workspaceRoleLabel(value) })),
              ]}
              onChange={(next) => change({ role: next })}
            />
            <SelectField
              label={i18n._('State')}
              value={state}
              options={[
                { value: 'all', label: i18n._('All') },
                ...STATES.map((value) => ({ value, label: administeredStateLabel(value) })),
              ]}
              onChange={(next) => change({ state: next })}
            />
            <SelectField
              label={i18n._('Second factor')}
              value={factor}
              options={[
                { value: 'all', label: i18n._('All') },
                { value: 'with', label: i18n._('With second factor') },
                { value: 'without', label: i18n._('Without second factor') },
              ]}
              onChange={(next) => change({ factor: next })}
            />
          </>
        }
        count={
          pages.summary
            ? i18n._('{count, plural, one {# person} other {# people}}', { count: pages.summary.total })
            : null
        }
        actions={
          <SelectionActions
            label={i18n._('Actions for the selected people')}
            count={people.length}
            note={
              people.every((one) => isBelow(one.role, me.role))
                ? null
                : i18n._('You can only change people whose role is below yours.')
            }
            actions={personActions(people, me.role).map((one) => ({
              label: one.label,
              isDestructive: DESTRUCTIVE.has(one.action),
              onSelect: () => setAction(one.action),
            }))}
            onClear={selection.clear}
          />
        }
      >
        <PagedTable
          label={i18n._('Manage people')}
          pages={pages}
          empty={i18n._('Nobody matches.')}
          idOf={idOf}
          nameOf={({ profile }) => profile.name}
          selection={selection}
          columns={columns(state !== 'active', pages.value ?? [])}
          sort={sort}
          onSort={(next) => change({ sort: next })}
        />
      </FilteredList>
      {action ? (
        <ChangePeople
          action={action}
          people={people}
          onDone={selection.clear}
          onClose={() => setAction(null)}
        />
      ) : null}
    </PaneFrame>
  )
}

const DESTRUCTIVE: ReadonlySet<PersonAction> = new Set(['deactivate', 'remove', 'end_integrations', 'erase'])

function idOf({ profile }: AdministeredPerson): string {
  return profile.id
}

/** Columns that would be empty are left out. */
const columns = (
  hasState: boolean,
  people: readonly AdministeredPerson[],
): Column<AdministeredPerson, PersonSort>[] => [
  {
    title: i18n._('Person'),
    ascending: 'name',
    descending: 'name.desc',
    mark: ({ profile: { id, name } }) => <Avatar id={id} name={name} size={24} />,
    render: ({ profile: { id, name }, email }) => (
      <>
        <PersonButton id={id} className={list.name}>
          <bdi>{name}</bdi>
        </PersonButton>
        <span className="note">{email}</span>
      </>
    ),
  },
  {
    title: i18n._('Role'),
    ascending: 'role',
    descending: 'role.desc',
    isText: true,
    render: ({ role, expires_at }) =>
      expires_at
        ? `${workspaceRoleLabel(role)} · ${i18n._('until {date}', { date: formatDate(expires_at) })}`
        : workspaceRoleLabel(role),
  },
  ...(hasState
    ? [
        {
          title: i18n._('State'),
          render: ({ state }: AdministeredPerson) => administeredStateLabel(state),
        },
      ]
    : []),
  {
    title: i18n._('Second factor'),
    render: ({ second_factor }) =>
      second_factor ? <Icon of={ShieldCheck} label={i18n._('With second factor')} /> : null,
  },
  ...(people.some(({ integrations }) => integrations)
    ? [
        {
          title: i18n._('Integrations'),
          render: ({ integrations: count }: AdministeredPerson) =>
            count ? i18n._('{count, plural, one {# integration} other {# integrations}}', { count }) : null,
        },
      ]
    : []),
  {
    title: i18n._('Joined'),
    ascending: 'joined.asc',
    descending: 'joined',
    render: ({ joined_at }) => formatDate(joined_at),
  },
  {
    title: i18n._('Last active'),
    ascending: 'seen.asc',
    descending: 'seen',
    render: ({ seen_at }) => (seen_at ? formatDate(seen_at) : null),
  },
]
