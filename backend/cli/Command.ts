/** What an option is, and how `--help` tells it. */
export interface Option {
  /** What stands for its value in the help ("PORT"). Without it the option is a switch. */
  value?: string
  short?: string
  /** The only values it takes. */
  choices?: readonly string[]
  /** May be given several times, and with commas; its value is then a list. */
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

/** One command line, read: a command gets nothing else. */
export interface Call<O extends Options> {
  /** The checkout, which holds `dist/app` and Linnet's own `supabase`. */
  root: string
  /** Builds `dist/app` where it is missing or stale. */
  prepareApp(): Promise<void>
  /** `--data`, else the data folder of the project that is served. */
  dataDir: string
  /** `--supabase`, else the project of the folder one is in, else Linnet's own. */
  supabaseDir: string
  /** Whether `supabaseDir` is Linnet's own, whose seed is for `--demo` alone. */
  ownSchema: boolean
  /** Whether `supabaseDir` was named or found; else it is Linnet's own for want of another. */
  inProject: boolean
  options: { [Name in keyof O]: ValueOf<O[Name]> }
  /** What stands beside the options, as many as `args` of the command allows. */
  args: string[]
}

/** The headings of `linnet --help`, in their order there. */
export const groups = ['The house', 'The database', 'Functions', 'Moving'] as const

export interface Command {
  /** As typed: "start", "migration new". */
  name: string
  group: (typeof groups)[number]
  /** Other names that mean just the same, such as those of the official CLI. */
  aliases?: string[]
  /** One line for the list of commands, without a full stop. */
  summary: string
  /** Whole sentences below the usage, lines of at most 80 characters. */
  help?: string
  /** In order: `<name>` must be there, `[name]` may, `[name...]` takes all that follow. */
  args?: string[]
  options: Options
  /** Answers the exit code. A person's mistake is thrown as UsageError or StartError: a sentence, code 1. */
  run(call: Omit<Call<Options>, 'options'> & { options: Record<string, unknown> }): Promise<number>
}

/** A command whose `run` knows the types of its own options. */
export function defineCommand<const O extends Options>(
  command: Omit<Command, 'options' | 'run'> & { options: O; run(call: Call<O>): Promise<number> },
): Command {
  return command as unknown as Command
}
