from __future__ import annotations

import pytest

from clew.parsing.sections import sections_of
from clew.parsing.source import decode


def outline(text: str, path: str = "app.csproj") -> list[tuple[str, int, int]]:
    found = sections_of("xml", path, decode(text.encode("utf-8")))
    return [(section.symbol, section.start_line, section.end_line) for section in found or []]


PROJECT = """\
<?xml version="1.0"?>
<Project Sdk="Microsoft.NET.Sdk">
  <!-- <PropertyGroup><No>1</No></PropertyGroup> -->
  <PropertyGroup>
    <TargetFramework>net8.0</TargetFramework>
    <Nullable>enable</Nullable>
  </PropertyGroup>

  <PropertyGroup Condition="'$(Configuration)' == 'Release' &amp;&amp; '$(A)' > '1'">
    <Optimize>true</Optimize>
  </PropertyGroup>
  <ItemGroup>
    <PackageReference Include="Serilog" Version="3.1" />
    <ProjectReference Include="..\\Core.csproj">
      <Project>{123}</Project>
    </ProjectReference>
    <Compile Remove="old.cs" />
    <Compile Remove="older.cs" />
  </ItemGroup>
  <Target Name="Build" DependsOnTargets="Restore"
          Condition="true">
    <PropertyGroup><Inner>1</Inner></PropertyGroup>
    <Exec Command="echo &lt;Target Name='no'&gt;" />
    <![CDATA[ </Target> ]]>
  </Target>
  <Target Name="Test" DependsOnTargets="Build" />
</Project>
"""


def test_groups_and_targets_are_named_by_what_is_in_them() -> None:
    assert outline(PROJECT) == [
        ("PropertyGroup.TargetFramework, Nullable", 4, 7),
        ("PropertyGroup.Optimize when '$(Configuration)' == 'Release' && '$(A)' > '1'", 9, 11),
        ("ItemGroup.PackageReference Serilog, ProjectReference ..\\Core.csproj, Compile old.cs", 12, 19),
        ("Target.Build", 20, 25),
        ("Target.Test", 26, 26),
    ]


def test_a_section_has_name_signature_and_exact_bytes() -> None:
    source = decode(PROJECT.replace("\n", "\r\n").encode())
    target = (sections_of("xml", "a/b.TARGETS", source) or [])[3]
    assert (target.name, target.kind) == ("Build", "section")
    assert target.signature == '<Target Name="Build" DependsOnTargets="Restore"'
    text = source.text[target.start_byte : target.end_byte]
    assert text.startswith(b"<Target") and text.endswith(b"</Target>") and b"Inner" in text


def test_a_label_names_a_group() -> None:
    assert outline('<ItemGroup Label="Tests"><A/></ItemGroup>') == [("ItemGroup.Tests", 1, 1)]


def test_a_property_or_item_called_target_is_no_target() -> None:
    text = "<PropertyGroup>\n<Target>x</Target>\n</PropertyGroup>\n<ItemGroup>\n<Target Include='y'/>\n</ItemGroup>"
    assert outline(text) == [("PropertyGroup.Target", 1, 3), ("ItemGroup.Target y", 4, 6)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("<PropertyGroup>\n<A>1</A>\n", [("PropertyGroup.A", 1, 2)]),
        ("<PropertyGroup>\n<A>\n<ItemGroup>\n<B/></ItemGroup>\n", [("PropertyGroup.A", 1, 2), ("ItemGroup.B", 3, 4)]),
        ("<Target Name='a'>\n<Target Name='b'>\n</Target>", [("Target.a", 1, 1), ("Target.b", 2, 3)]),
        ("<PropertyGroup>\n<A>\n</PropertyGroup>\n<PropertyGroup>\n<B/></PropertyGroup>", [
            ("PropertyGroup.A", 1, 3), ("PropertyGroup.B", 4, 5)]),
        ("<Project>\n<PropertyGroup>\n<A/>\n</Project>\n", [("PropertyGroup.A", 2, 3)]),
        ("<X Include=\"forgot>\n<PropertyGroup>\n<A/>\n</PropertyGroup>", [("PropertyGroup.A", 2, 4)]),
        ("<!-- open\n<PropertyGroup><A/></PropertyGroup>", []),
        ("<PropertyGroup\n<ItemGroup>\n</ItemGroup>", [("ItemGroup", 2, 3)]),
        ("</PropertyGroup>\n</Target>\n<ItemGroup/>", [("ItemGroup", 3, 3)]),
    ],
)  # fmt: skip
def test_broken_markup_gives_the_sections_that_can_be_told(text: str, expected: list[tuple[str, int, int]]) -> None:
    assert outline(text) == expected


def test_entities_of_a_document_type_are_not_expanded() -> None:
    text = '<!DOCTYPE p [ <!ENTITY a "&b;&b;"> ]>\n<Target Name="&a;&#65;">\n</Target>'
    assert outline(text) == [("Target.&a;A", 2, 3)]


@pytest.mark.parametrize("path", ["a.csproj", "a.fsproj", "a.vbproj", "d/Directory.Build.props", "x.targets", "b.proj"])
def test_every_project_file_is_read(path: str) -> None:
    assert outline("<Target Name='T'/>", path) == [("Target.T", 1, 1)]


@pytest.mark.parametrize("path", ["pom.xml", "a.svg", "csproj", "a.csproj.xml"])
def test_other_xml_is_not_divided(path: str) -> None:
    assert sections_of("xml", path, decode(b"<Target Name='T'/>")) is None
