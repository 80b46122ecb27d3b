/** A command line option, with its text for `--help`. */
export interface Option {
  /** Placeholder of the value in the help ("PORT"). Without it the option is a boolean flag. */
  value?: string
  short?: string
  /** The allowed values. */
  choices?: readonly string[]
  /** Can be repeated, and takes comma-separated values; the parsed value is a list. */
  multiple?: boolean
  /** One line. */
  help: string
}

export type Options = Record<string, Option>

type ValueOf<O extends Option> = O extends { multiple: true }
  ? string[]
  : O extends { choices: readonly (infer Choice)[] }
    ? Choice | undefined
    : O extends { value: string }
      ? string | undefined
      : boolean

/** A parsed command line: all input of a command. */
export interface Invocation<O extends Options> {
  /** The checkout, which contains `dist/app` and Linnet's own `supabase`. */
  root: string
  /** Builds `dist/app` where it is missing or stale. */
  prepareApp(): Promise<void>
  /** `--data`, else the data directory of the project. */
  dataDir: string
  /** `--supabase`, else the project that contains the working directory, else Linnet's own. */
  supabaseDir: string
  /** Whether `supabaseDir` is Linnet's own, whose seed runs with `--demo` only. */
  isOwnSchema: boolean
  /** Whether `supabaseDir` was named or found; false if it is the fallback, Linnet's own. */
  isInProject: boolean
  options: { [Name in keyof O]: ValueOf<O[Name]> }
  /** Positional arguments, as many as `args` of the command allows. */
  args: string[]
}

/** The headings of `linnet --help`, in order. */
export const groups = ['Server', 'Backup', 'Moving', 'Database', 'Functions', 'Deployment'] as const

export interface Command {
  /** As the user types it: "start", "migration new". */
  name: string
  group: (typeof groups)[number]
  /** Equivalent names, such as those of the official CLI. */
  aliases?: string[]
  /** One line for the list of commands, without a full stop. */
  summary: string
  /** Full sentences below the usage, in lines of at most 90 characters. */
  help?: string
  /** In order: `<name>` is required, `[name]` is optional, `[name...]` takes all that follow. */
  args?: string[]
  options: Options
  /** Returns the exit code. Throws UsageError or StartError for a mistake of the user: printed without a stack, exit code 1. */
  run(
    invocation: Omit<Invocation<Options>, 'options'> & { options: Record<string, unknown> },
  ): Promise<number>
}

/** Types the options of `run` by the definitions in `options`. */
export function defineCommand<const O extends Options>(
  command: Omit<Command, 'options' | 'run'> & { options: O; run(invocation: Invocation<O>): Promise<number> },
): Command {
  return command as unknown as Command
}

/** An invalid command line; `message` is printed to the user. */
export class UsageError extends Error {}
