#Requires -Version 7
<#
.SYNOPSIS
Sells things.
#>
using namespace System.Collections.Generic

param(
    [string]$Path = "."
)

# How many.
$MaxItems = 100
$script:Counter = 0
$global:ShopHome = "/shop"
[int]$Typed = 3
Set-StrictMode -Version Latest

<#
.SYNOPSIS
Adds an item.
#>
function Add-Item {
    [CmdletBinding()]
    param(
        [Parameter(Mandatory)]
        [string]$Name
    )
    begin { $local = 1 }
    process {
        function Inner { return 1 }
        Write-Output $Name
    }
}

function Get-Total($items, [int]$limit) { $items.Count }
function script:Get-Scoped { }
filter Where-Big { if ($_ -gt 3) { $_ } }

# Colours.
enum Color {
    Red = 1
    Green
}

# A cart.
class Cart : Base {
    [List[string]]$Items
    hidden [int] $Count = 0
    static [string]$Kind = "x"

    Cart() { $this.Items = @() }
    Cart([string[]]$items) {
        $this.Items = $items
    }

    # Sums up.
    [int] Total() {
        $sum = 0
        return $this.Items.Count
    }

    static [Cart] Build([string]$name) { return [Cart]::new() }
    hidden [void] Reset() { }
}

$handler = { param($x) $x * 2 }

Export-ModuleMember -Function Add-Item
